/** The numbers scripts see. They are Gemini CLI's; 0 exactly when there is an answer. */
export const ExitCode = {
  Success: 0,
  /** The model's service failed, the answer was unusable, or the arguments were wrong. */
  Failure: 1,
  /** No credentials, or the service refused them. */
  Unauthorized: 41,
  /** Nothing to ask. */
  Input: 42,
  /** A setting or a variable that cannot be meant. */
  Settings: 52,
  /** The limit of turns. */
  TurnLimit: 53,
  /** A tool failed in a way no run can go on from. */
  ToolFailure: 54,
  /** The folder is marked as not trusted. */
  Untrusted: 55,
  HungUp: 129,
  Interrupted: 130,
  Terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Ends the program before or outside a turn with a sentence for stderr. */
export class ExitError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExitError';
    this.exitCode = exitCode;
  }
}
