/** SettingsError: why settings are unusable. Only the surface ends the program because of it. */

export interface SettingsErrorInit {
  /** The invalid file. */
  path: string;
  line?: number;
  column?: number;
  cause?: unknown;
}

/** The message already names file, line and column, what was expected and what to do. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly path: string;
  readonly line?: number;
  readonly column?: number;

  constructor(message: string, { path, line, column, cause }: SettingsErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.path = path;
    if (line !== undefined) this.line = line;
    if (column !== undefined) this.column = column;
  }
}
