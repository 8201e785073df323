/** The text of the engine's worker. */
export function workerSource(): Promise<string>;
