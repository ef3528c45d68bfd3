/** Remembers which variables fill each other, to find one that grows from itself: a loop does so without end. */

export class VariableOrigins {
  private readonly filledFrom = new Map<string, Set<string>>();
  private readonly isCertain: (name: string) => boolean;

  /** `isCertain`: whether a variable has one known value and therefore does not grow. */
  constructor(isCertain: (name: string) => boolean) {
    this.isCertain = isCertain;
  }

  /** Records which variables fill this one; whether it is one of them, at any distance. */
  comesFrom(text: string, name: string): boolean {
    const own = this.filledFrom.get(name) ?? new Set<string>();
    this.filledFrom.set(name, own);
    for (const [, other = ''] of text.matchAll(/\$\{?(\w+)/g)) if (!this.isCertain(other)) own.add(other);
    const seen = new Set(own);
    for (const other of seen) for (const next of this.filledFrom.get(other) ?? []) seen.add(next);
    return seen.has(name);
  }
}
