/** Relist: reads a list again after a change. Changes that arrive while it is read cause one more reading. */
export class Relist {
  private readonly read: () => Promise<void>;
  private running: Promise<void> | undefined;
  private isOutdated = false;

  /** A failed reading leaves the list as it was. */
  constructor(read: () => Promise<void>) {
    this.read = read;
  }

  request(): void {
    this.isOutdated = this.running !== undefined;
    this.running ??= this.read()
      .catch(() => undefined)
      .finally(() => {
        this.running = undefined;
        if (this.isOutdated) this.request();
      });
  }
}
