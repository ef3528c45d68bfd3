/** What a command may ask for beyond the bounds of its sandbox, and the user's decision. Types only. */

/** What a command needs beyond the bounds of its sandbox; each is asked for. */
export interface CommandPermissions {
  fileSystem?: { read?: string[]; write?: string[] };
  /** No effect: hosts are asked about when the command connects. */
  network?: boolean;
  outside_sandbox?: boolean;
}

export interface WidenRequest {
  command: string;
  directory: string;
  permissions?: CommandPermissions | undefined;
}

/** The user's decision before a command runs. */
export interface Widened {
  /** Why it does not run. */
  refusal?: string | undefined;
  isUnconfined?: boolean | undefined;
  /** Call it when the command has ended. */
  close?: (() => void) | undefined;
}
