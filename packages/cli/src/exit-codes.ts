/** The exit codes scripts see. They are Gemini CLI's except those marked as ours; 0 exactly when there is an answer. */
export const ExitCode = {
  Success: 0,
  /** The model's service failed, the answer was unusable, or the arguments were wrong. */
  Failure: 1,
  /** No credentials, or the service refused them. */
  Unauthorized: 41,
  /** No prompt, or invalid input. */
  Input: 42,
  /** A sandbox was requested and none is available. */
  Sandbox: 44,
  /** An invalid setting or variable. */
  Settings: 52,
  /** The limit of turns. */
  TurnLimit: 53,
  /** A tool failed in a way the run cannot continue from. */
  ToolFailure: 54,
  /** The folder is marked as not trusted. */
  Untrusted: 55,
  /** The run's budget is spent. Ours, as are the next three. */
  Budget: 56,
  /** The model repeats itself. */
  Loop: 57,
  /** The request does not fit into the model's window. */
  Overflow: 58,
  /** The answer does not match the schema of --output-schema. */
  InvalidAnswer: 59,
  HungUp: 129,
  Interrupted: 130,
  Terminated: 143,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** Ends the program before or outside a turn with a sentence for stderr. */
export class ExitError extends Error {
  readonly exitCode: ExitCode;
  /** The output format of the settings, where they could be read; a flag overrides it. */
  outputFormat?: string;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExitError';
    this.exitCode = exitCode;
  }
}

/** Explains an invalid command line; the program prints a hint to --help with it. */
export class UsageError extends ExitError {
  constructor(sentence: string) {
    super(ExitCode.Failure, sentence);
    this.name = 'UsageError';
  }
}
