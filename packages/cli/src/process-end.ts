/** What is still to do before the process ends, registered by what it opened: `main.ts` waits for it, however a run ended. */

let endings: (() => Promise<void>)[] = [];

export function beforeProcessEnds(ending: () => Promise<void>): void {
  endings.push(ending);
}

export async function settleProcess(): Promise<void> {
  // An ending may open what has to end as well.
  while (endings.length > 0) {
    const now = endings;
    endings = [];
    await Promise.allSettled(now.map((ending) => ending()));
  }
}
