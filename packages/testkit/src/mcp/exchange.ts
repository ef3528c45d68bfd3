/** What a transport lends to the actions that one incoming message leads to. */

export interface WriteForm {
  readonly pieces?: number;
  readonly isHalf?: boolean;
  readonly lineEnd?: string;
}

export interface HttpStatus {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Where the actions on one incoming message write. Over stdio there is one for all messages. */
export interface Exchange {
  /** A message as text, in the frame of the transport. The answer is the last one of its exchange. */
  write(text: string, form: WriteForm & { readonly isAnswer: boolean }): Promise<void> | void;
  /** Verbatim. */
  raw(bytes: Buffer): void;
  /** Over HTTP only; over stdio these are errors of the script. */
  status?(answer: HttpStatus): void;
  reset?(): void;
  drop?(): void;
  forget?(): void;
}

/** What the process or server around a session does for its actions. */
export interface Host {
  pass(gate: string): Promise<void>;
  stderr(text: string): void;
  crash(how: { code?: number; signal?: string }): void;
  close?(stream: 'stdin' | 'stdout'): void;
  grandchild?(options: { isDetached?: boolean; ignores?: readonly string[] }): Promise<void>;
}
