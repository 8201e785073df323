// A session of an official TypeScript client, as an agent's first minutes: what it saw is printed as one JSON object.
//
//     node session.mjs '{"sdk": 1 or 2, "mode": …, "command": …, "args": […], "env": {…}}'   over standard input and output
//     node session.mjs '{"sdk": 1 or 2, "mode": …, "url": …, "token": …}'                     over HTTP

const asked = JSON.parse(process.argv[2]);
const person = { action: "accept", content: { ok: true } };
const questions = [];
const capabilities = { elicitation: { form: {} } };
const self = { name: "okf-tests", version: "1" };

async function ofFirst() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const client = new Client(self, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, answered);
  return [client, StdioClientTransport, StreamableHTTPClientTransport];
}

async function ofSecond() {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const mode = /^\d/.test(asked.mode) ? { pin: asked.mode } : asked.mode;
  const client = new Client(self, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", answered);
  return [client, StdioClientTransport, StreamableHTTPClientTransport];
}

async function answered(request) {
  questions.push(request.params.message);
  return person;
}

const [client, Stdio, Http] = await (asked.sdk === 1 ? ofFirst() : ofSecond());
const { url, token, command, args, env } = asked;
const headers = { Authorization: `Bearer ${token}` };
await client.connect(url ? new Http(new URL(url), { requestInit: { headers } }) : new Stdio({ command, args, env }));

const call = (name, values) => client.callTool({ name, arguments: values });
const found = {
  server: client.getServerVersion?.()?.name,
  tools: (await client.listTools()).tools.map((tool) => tool.name),
  answer: await call("query", { question: "when does the sluice open?" }),
  page: await call("read", { page: "weir" }),
  wrong: await call("read", { page: "nowhere" }),
  kept: await call("capture", { content: "A heron stood on the weir." }),
  uris: (await client.listResources()).resources.map((each) => each.uri),
  templates: (await client.listResourceTemplates()).resourceTemplates.length,
  resource: (await client.readResource({ uri: "okf://river/concepts/weir.md" })).contents[0].text,
  prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
  prompt: (await client.getPrompt({ name: "ask", arguments: { question: "Where are the eels?" } })).messages[0].content.text,
  completed: (
    await client.complete({ ref: { type: "ref/resource", uri: "okf://{kb}/{+path}" }, argument: { name: "kb", value: "r" } })
  ).completion.values,
  absent: await client.readResource({ uri: "okf://river/concepts/nothing.md" }).then(
    () => "",
    (error) => `${error.code}`,
  ),
};
if (asked.archive) {
  found.installed = await call("install_bundle", { source: asked.archive });
  found.questions = questions;
}
await client.close();
console.log(JSON.stringify(found));
