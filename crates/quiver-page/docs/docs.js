// The description of the server as a page from which requests are sent. Everything that is shown is text: nothing of a
// description or a reply becomes markup.
"use strict";

const METHODS = ["get", "post", "put", "delete"];
const DEPTH_MAX = 5;

let description;

/** Makes an element with attributes and children. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Follows a reference into the description. */
function resolved(schema) {
  if (!schema || !schema.$ref) return schema ?? {};
  const parts = schema.$ref.replace(/^#\//, "").split("/");
  return parts.reduce((at, part) => at[part.replaceAll("~1", "/").replaceAll("~0", "~")], description);
}

function variants(schema) {
  return schema.oneOf ?? schema.anyOf ?? null;
}

function kindOf(schema) {
  const kinds = [schema.type ?? (schema.properties ? "object" : "any")].flat();
  return kinds.find((kind) => kind !== "null") ?? "null";
}

/** An example of a schema: what has to be there, and no more. */
function example(given, depth = 0) {
  const schema = resolved(given);
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const several = variants(schema);
  if (several) return example(several.find((one) => one.type !== "null") ?? several[0], depth + 1);
  switch (kindOf(schema)) {
    case "object": {
      const made = {};
      if (depth < DEPTH_MAX) {
        for (const name of schema.required ?? []) made[name] = example(schema.properties?.[name], depth + 1);
      }
      return made;
    }
    case "array":
      return depth < DEPTH_MAX && schema.items ? [example(schema.items, depth + 1)] : [];
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "";
  }
}

/** A schema in a few lines: each field with its type and what it is for. */
function told(given, indent = "", depth = 0) {
  const schema = resolved(given);
  const several = variants(schema);
  if (several) return several.map((one) => told(one, indent, depth)).join(" or ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const kind = kindOf(schema);
  if (kind === "array") return schema.items ? `list of ${told(schema.items, indent, depth)}` : "list";
  if (kind !== "object" || !schema.properties || depth >= DEPTH_MAX) return kind;
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const needed = (schema.required ?? []).includes(name) ? "" : "?";
    const meaning = property.description ?? resolved(property).description;
    const note = meaning ? `   ${meaning.replaceAll(/\s+/g, " ")}` : "";
    return `${inner}${name}${needed}: ${told(property, inner, depth + 1)}${note}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function field(label, input) {
  return make("label", {}, label, input);
}

/** The form of a request, and where its reply is shown. */
function form(method, path, operation) {
  const parameters = (operation.parameters ?? []).filter((one) => one.in === "path" || one.in === "query");
  const inputs = parameters.map((parameter) => {
    const attributes = { autocomplete: "off", placeholder: resolved(parameter.schema).description ?? "" };
    if (parameter.required) attributes.required = "";
    return [parameter, make("input", attributes)];
  });
  const content = Object.entries(operation.requestBody?.content ?? {})[0];
  const body = content && make("textarea", { spellcheck: "false", "aria-label": `body, ${content[0]}` });
  if (body && content[0] === "application/json") {
    body.value = JSON.stringify(example(content[1].schema), null, 2);
  }
  const reply = make("div", { "aria-live": "polite" });
  const send = async (event) => {
    event.preventDefault();
    let address = path;
    const query = new URLSearchParams();
    for (const [parameter, input] of inputs) {
      if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (input.value !== "") query.set(parameter.name, input.value);
    }
    if (query.size > 0) address += `?${query}`;
    const headers = {};
    const key = document.getElementById("key").value.trim();
    const workspace = document.getElementById("workspace").value.trim();
    if (key) headers.Authorization = `Bearer ${key}`;
    if (workspace) headers["Quiver-Workspace"] = workspace;
    if (body) headers["Content-Type"] = content[0];
    await show(reply, address, { method: method.toUpperCase(), headers, body: body ? body.value : undefined });
  };
  return make(
    "form",
    { submit: send },
    make("div", { class: "fields" }, ...inputs.map(([parameter, input]) => field(parameter.name, input))),
    ...(body ? [field(`Body, ${content[0]}`, body)] : []),
    make("div", {}, make("button", { type: "submit" }, "Send")),
    reply,
  );
}

/** Sends a request and shows its reply as it comes. */
async function show(place, address, request) {
  const began = performance.now();
  const line = make("p", {}, `${request.method} ${address} …`);
  const text = make("pre", { tabindex: "0" });
  place.replaceChildren(line, text);
  try {
    const response = await fetch(address, request);
    const kind = response.headers.get("content-type") ?? "";
    const decoder = new TextDecoder();
    let whole = "";
    if (response.body) {
      for (let reader = response.body.getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        whole += decoder.decode(value, { stream: true });
        text.textContent = whole;
      }
    }
    const took = Math.round(performance.now() - began);
    line.textContent = `${request.method} ${address}: ${response.status} after ${took} ms`;
    if (kind.includes("json") && !kind.includes("ndjson")) {
      text.textContent = JSON.stringify(JSON.parse(whole), null, 2);
    }
  } catch (error) {
    line.textContent = `${request.method} ${address}: ${error.message}`;
  }
}

function endpoint(method, path, operation) {
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  const reply = Object.values(operation.responses ?? {})[0];
  const given = Object.values(reply?.content ?? {})[0];
  const forms = [];
  for (const [title, schema] of [["What it takes", content?.schema], ["What it gives", given?.schema]]) {
    if (schema && Object.keys(schema).length > 0) {
      const shown = make("pre", { tabindex: "0" });
      const details = make("details", {}, make("summary", {}, title), make("div", { class: "inside" }, shown));
      details.addEventListener("toggle", () => { shown.textContent ||= told(schema); });
      forms.push(details);
    }
  }
  const inside = make("div", { class: "inside" });
  const details = make(
    "details",
    { id: operation.operationId ?? `${method}-${path}` },
    make("summary", {}, make("span", { class: "method" }, method.toUpperCase()), make("code", {}, path)),
    inside,
  );
  // A form is made when it is looked at.
  details.addEventListener("toggle", () => {
    if (inside.childElementCount === 0) {
      inside.append(make("p", {}, operation.summary ?? ""), form(method, path, operation), ...forms);
    }
  });
  details.dataset.text = `${method} ${path} ${operation.summary ?? ""}`.toLowerCase();
  return details;
}

async function begin() {
  const place = document.getElementById("endpoints");
  document.getElementById("who").addEventListener("submit", (event) => event.preventDefault());
  try {
    const response = await fetch("/openapi.json");
    if (!response.ok) throw new Error(`/openapi.json answers ${response.status}`);
    description = await response.json();
  } catch (error) {
    place.replaceChildren(make("p", { role: "alert" }, `The description can't be read: ${error.message}`));
    return;
  }
  const all = Object.entries(description.paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method]).map((method) => endpoint(method, path, operations[method])),
  );
  place.replaceChildren(...all);
  document.getElementById("filter").addEventListener("input", (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    for (const one of all) one.hidden = !one.dataset.text.includes(wanted);
  });
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named) {
    named.open = true;
    named.scrollIntoView();
  }
}

begin();
