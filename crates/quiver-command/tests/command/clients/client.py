"""A client made with the official Python SDK. Arguments: a fact to remember, a question about it, and the server: a
command with its arguments, or an address. Prints what it learned as JSON. With HOLD in the environment it prints that it
holds after remembering, and stays connected until it is killed."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

fact, question, *server = sys.argv[1:]


def connect():
    if server[0].startswith("http"):
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(server[0])
    return stdio_client(StdioServerParameters(command=server[0], args=server[1:], env=dict(os.environ)))


async def main():
    async with connect() as streams, ClientSession(streams[0], streams[1]) as client:
        await client.initialize()
        tools = await client.list_tools()
        # The SDK checks each structured result against the schema of its tool.
        await client.call_tool("remember", {"text": fact, "session": "sdk"})
        if "HOLD" in os.environ:
            print("holds", flush=True)
            await asyncio.Event().wait()
        recalled = await client.call_tool("recall", {"question": question})
        refused = await client.call_tool("recall", {"question": " "})
        resources = await client.list_resources()
        stats = await client.read_resource("quiver://stats")
        prompts = await client.list_prompts()
        brief = await client.get_prompt("brief", {"topic": "Redis"})
        told = lambda value: value.model_dump(mode="json", by_alias=True)
        recalled, refused = told(recalled), told(refused)
        print(
            json.dumps(
                {
                    "tools": sorted(tool.name for tool in tools.tools),
                    "answer": recalled["structuredContent"]["answer"],
                    "refused": refused["isError"],
                    "resources": [str(resource.uri) for resource in resources.resources],
                    "relations": json.loads(stats.contents[0].text)["relations"],
                    "prompts": [prompt.name for prompt in prompts.prompts],
                    "brief": "Redis" in brief.messages[0].content.text,
                }
            )
        )


asyncio.run(main())
