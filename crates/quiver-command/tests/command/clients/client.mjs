// A client made with the official TypeScript SDK. Arguments: a directory where npm installed
// @modelcontextprotocol/sdk, a fact to remember, a question about it, and the server: a command with its arguments, or
// an address. Prints what it learned as JSON. With HOLD in the environment it prints that it holds after remembering,
// and stays connected until it is killed.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [directory, fact, question, ...server] = process.argv.slice(2);
const require = createRequire(`${directory}/client.js`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)).href);
const { Client } = await load("index");

const transport = server[0].startsWith("http")
  ? new (await load("streamableHttp")).StreamableHTTPClientTransport(new URL(server[0]))
  : new (await load("stdio")).StdioClientTransport({ command: server[0], args: server.slice(1), env: process.env });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
// The SDK checks each structured result against the schema of its tool.
await client.callTool({ name: "remember", arguments: { text: fact, session: "sdk" } });
if (process.env.HOLD !== undefined) {
  console.log("holds");
  setInterval(() => {}, 1000);
  await new Promise(() => {});
}
const recalled = await client.callTool({ name: "recall", arguments: { question } });
const refused = await client.callTool({ name: "recall", arguments: { question: " " } });
const { resources } = await client.listResources();
const stats = await client.readResource({ uri: "quiver://stats" });
const { prompts } = await client.listPrompts();
const brief = await client.getPrompt({ name: "brief", arguments: { topic: "Redis" } });
await client.close();
console.log(
  JSON.stringify({
    tools: tools.map((tool) => tool.name).sort(),
    answer: recalled.structuredContent.answer,
    refused: refused.isError,
    resources: resources.map((resource) => resource.uri),
    relations: JSON.parse(stats.contents[0].text).relations,
    prompts: prompts.map((prompt) => prompt.name),
    brief: brief.messages[0].content.text.includes("Redis"),
  }),
);
