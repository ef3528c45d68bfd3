/** A program that is about to start, and the function that confines it. Types only. */

export interface Invocation {
  file: string;
  args: readonly string[];
  directory: string;
  /** The whole environment: nothing else is inherited. */
  environment: Readonly<Record<string, string>>;
  /** Files that it reads from descriptors 3 and following; every start opens them anew. */
  files?: readonly string[] | undefined;
}

/** How a program is used, which decides how long it may live and whether it has a terminal. */
export type ProgramUse = 'command' | 'terminal' | 'background' | 'hook' | 'server' | 'tool';

/** Invocation in, invocation out. Rejects when the sandbox that was asked for does not start. */
export type Confine = (invocation: Invocation, use: ProgramUse) => Promise<Invocation>;
