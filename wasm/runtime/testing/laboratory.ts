// Runs Python in a worker under test.

import type { PyodideAPI } from "pyodide";

export interface Heard {
  type: string;
  id: number;
  code: string;
}

export interface Told {
  type: "python";
  id: number;
  value?: unknown;
  error?: string;
}

export class Laboratory {
  private python: PyodideAPI | null = null;

  constructor(private readonly tell: (message: Told) => void) {}

  open(python: PyodideAPI): void {
    this.python = python;
  }

  /** Whether the message was one for the laboratory. */
  hear(message: Heard): boolean {
    if (message.type !== "python") return false;
    void this.run(message);
    return true;
  }

  private async run({ id, code }: Heard): Promise<void> {
    try {
      this.tell({ type: "python", id, value: (await this.python?.runPythonAsync(code)) as unknown });
    } catch (error) {
      this.tell({ type: "python", id, error: String(error) });
    }
  }
}
