/** A tool as the contract suite knows it, by its shape only, and the inputs of the suite. Types only. */

/** The part of the runtime's `DefinedTool` that the suite needs. */
export interface ContractTool {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly schema: { name?: string; description?: string; parametersJsonSchema?: unknown };
  build(args: Record<string, unknown>): ContractInvocation;
}

export interface ContractInvocation {
  readonly params: Record<string, unknown>;
  describe(): string;
  locations(): { path: string }[];
  confirm(signal: AbortSignal): Promise<unknown>;
  execute(context: ContractContext): Promise<ContractResult>;
}

export interface ContractContext {
  callId: string;
  signal: AbortSignal;
  onOutput(chunk: string): void;
  onPid(pid: number): void;
}

export interface ContractResult {
  llmContent: unknown;
  returnDisplay: unknown;
  error?: { message: string; type?: string };
}

/** A tool with a project of its own, created anew for each case. */
export interface ContractSubject extends AsyncDisposable {
  tool: ContractTool;
  /** A directory of the workspace; files named below it may be created by the suite. */
  project: string;
  /** Arguments of a call that succeeds. */
  args: Record<string, unknown>;
  /** The argument that names a file or directory, where there is one, and what it names. */
  path?: { parameter: string; kind: 'file' | 'directory' };
  /** Arguments of a call with the largest possible output. */
  hugeArgs?(): Promise<Record<string, unknown>>;
  /** For a tool that writes: arguments that put more than 64 KiB into a file that holds `old text`. */
  growingArgs?(path: string): Record<string, unknown>;
}
