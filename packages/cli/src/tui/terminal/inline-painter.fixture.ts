/** A real terminal for tests of the painter: its screen and scrollback, as lines a user would copy. */

import headless from '@xterm/headless';
import type { Size } from './painter.ts';

export class Screen {
  readonly terminal: InstanceType<typeof headless.Terminal>;
  bytes = '';

  constructor({ columns, rows }: Size) {
    this.terminal = new headless.Terminal({ cols: columns, rows, scrollback: 100_000, allowProposedApi: true });
  }

  async write(text: string): Promise<void> {
    this.bytes += text;
    await new Promise<void>((resolve) => this.terminal.write(text, resolve));
  }

  lines(): string[] {
    const { active } = this.terminal.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index++) {
      const line = active.getLine(index);
      if (!line) continue;
      if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += line.translateToString(true);
      else lines.push(line.translateToString(true));
    }
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  cursor() {
    const { cursorX, cursorY, baseY } = this.terminal.buffer.active;
    return { column: cursorX, row: baseY + cursorY };
  }
}
