/** A failure of installing or loading an extension that the user can act on; its message is a whole sentence. */

export class ExtensionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExtensionError';
  }
}
