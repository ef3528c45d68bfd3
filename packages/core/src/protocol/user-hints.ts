/** UserHints: what the user of a program does about a problem. Core reports problems without them: it knows no flags. */

/** What would let a denied command line run. Without entries and `isAllowedByYolo`, only the user's own answer would. */
export interface CommandRemedy {
  /** Entries of `tools.allowed` that allow it, together with those that are there; empty when none can. */
  entries: readonly string[];
  /** Whether the approval mode yolo allows it. */
  isAllowedByYolo: boolean;
}

export interface UserHints {
  /** How the user enables the agents of a project. */
  acknowledgeAgents?: string;
  /** A sentence on how to trust the folder. */
  trustFolder?: string;
  /** The same, for a folder that contains the requested system prompt. */
  trustPromptFile?: string;
  /** A sentence on how to consent to the hooks of a project. */
  trustHooks?: string;
  /** A sentence on how to consent to the MCP servers of a project. */
  trustServers?: string;
  /** A sentence on how to start MCP servers of a folder that is not trusted. */
  startServers?: string;
  /** A sentence on how to sign in to an MCP server. */
  signIn?(server: string): string;
  /** A sentence on how to sign in to a remote agent. */
  signInToAgent?(agent: string): string;
  /** A sentence on how to allow a tool in a run that cannot ask. */
  allowTool?(toolName: string, approvalMode: string): string;
  /** The same for a command line that was denied. */
  allowCommand?(remedy: CommandRemedy): string | Promise<string>;
  /** The same for a tool of an MCP server that changed since the user allowed it. */
  allowChangedTool?(toolName: string): string;
  /** The same for activating skills. */
  allowSkills?: string;
  /** The same for all tools of MCP servers, by the patterns of their names. */
  allowServerTools?(patterns: readonly string[]): string;
}
