// What the worker asked of its page, done by the host.

import type { Host, HostTree } from "./host";
import { HostError, type ServiceName, type Services } from "./messages";

export type TreeService = Extract<keyof Services, `tree.${string}`>;

const TREE: { [Name in TreeService]: (tree: HostTree, argument: Services[Name][0]) => Promise<Services[Name][1]> } = {
  "tree.list": (tree, { folders }) => tree.list(folders),
  "tree.stat": (tree, { path }) => tree.stat(path),
  "tree.read": (tree, { path }) => tree.read(path),
  "tree.write": (tree, { path, data }) => done(tree.write(path, data)),
  "tree.create": (tree, { path, data }) => done(tree.create(path, data)),
  "tree.rename": (tree, { from, to }) => done(tree.rename(from, to)),
  "tree.replace": (tree, { from, to }) => done(tree.replace(from, to)),
  "tree.remove": (tree, { path }) => done(tree.remove(path)),
  "tree.makeFolder": (tree, { path }) => done(tree.makeFolder(path)),
};

/** The reply to one request of the worker. Rejects with HostError, or with what the host threw. */
export async function served(
  host: Host,
  service: Exclude<ServiceName, "manifest" | "chunk">,
  argument: unknown,
): Promise<unknown> {
  if (service === "fetch") {
    const { url, method, maxBytes } = argument as Services["fetch"][0];
    return host.fetch(url, method, maxBytes);
  }
  const asked = argument as Services[TreeService][0];
  const tree = host.trees[asked.tree];
  const serve = TREE[service as TreeService] as ((tree: HostTree, asked: unknown) => Promise<unknown>) | undefined;
  if (!tree || !serve) throw new HostError("unavailable", `expected a service of this page, found ${service}`);
  return serve(tree, asked);
}

async function done(work: Promise<void>): Promise<null> {
  await work;
  return null;
}
