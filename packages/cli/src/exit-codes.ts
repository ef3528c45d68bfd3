/** The numbers scripts see. They are Gemini CLI's but for those named ours; 0 exactly when there is an answer. */
export const ExitCode = {
  Success: 0,
  /** The model's service failed, the answer was unusable, or the arguments were wrong. */
  Failure: 1,
  /** No credentials, or the service refused them. */
  Unauthorized: 41,
  /** Nothing to ask, or an input that cannot be used. */
  Input: 42,
  /** A sandbox was asked for and there is none. */
  Sandbox: 44,
  /** An invalid setting or variable. */
  Settings: 52,
  /** The limit of turns. */
  TurnLimit: 53,
  /** A tool failed in a way no run can go on from. */
  ToolFailure: 54,
  /** The folder is marked as not trusted. */
  Untrusted: 55,
  /** What the run may spend is spent. Ours, as are the next two. */
  Budget: 56,
  /** The model repeats itself. */
  Loop: 57,
  /** The request does not fit into the model's window. */
  Overflow: 58,
  HungUp: 129,
  Interrupted: 130,
  Terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Ends the program before or outside a turn with a sentence for stderr. */
export class ExitError extends Error {
  readonly exitCode: ExitCode;
  /** What the settings say, where they could be read; a flag says more. */
  outputFormat?: string;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExitError';
    this.exitCode = exitCode;
  }
}

/** Says what is wrong with the command line; a hint to --help goes with it. */
export class UsageError extends ExitError {
  constructor(sentence: string) {
    super(ExitCode.Failure, sentence);
    this.name = 'UsageError';
  }
}
