/** Shows a sentence on the rule for a moment, or until it is cleared. */

import type { Armed, UiAction } from './ui-state.ts';

export interface ToastOptions {
  readonly dispatch: (action: UiAction) => void;
  readonly onChange: () => void;
}

export interface ToastLife {
  /** Infinity: until it is cleared. */
  readonly milliseconds?: number;
  /** The key whose second press acts meanwhile. */
  readonly arms?: Armed | undefined;
}

const TOAST_MS = 3_000;

export class Toasts {
  private readonly options: ToastOptions;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: ToastOptions) {
    this.options = options;
  }

  show(text: string, { milliseconds = TOAST_MS, arms }: ToastLife = {}): void {
    this.stop();
    this.options.dispatch({ type: 'toast', text, arms });
    if (Number.isFinite(milliseconds)) this.timer = setTimeout(() => this.clear(), milliseconds);
    this.options.onChange();
  }

  clear(): void {
    this.stop();
    this.options.dispatch({ type: 'calm' });
    this.options.onChange();
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
