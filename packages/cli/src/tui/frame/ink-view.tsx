/** Draws frames through Ink: data in, rows out, synchronously. Loaded after the first frame is on the screen. */

import { AppView } from '../components/app-view.tsx';
import type { AppViewProps } from '../components/app-view.tsx';
import { createStage } from '../terminal/ink-stage.ts';
import type { Size } from '../terminal/painter.ts';

export interface InkView {
  draw(props: AppViewProps, size: Size): readonly string[];
  close(): void;
}

export interface InkViewListener {
  /** A component changed by itself, outside of `draw`. */
  readonly onOwnFrame: () => void;
  readonly onBroken: (error: Error) => void;
}

export function createInkView(size: Size, { onOwnFrame, onBroken }: InkViewListener): InkView {
  let rows: readonly string[] = [];
  let drawn = size;
  let isDrawing = false;
  const stage = createStage(size, {
    onBroken,
    onFrame(next) {
      rows = next;
      if (!isDrawing) onOwnFrame();
    },
  });
  return {
    draw(props, nextSize) {
      isDrawing = true;
      try {
        if (nextSize.columns !== drawn.columns || nextSize.rows !== drawn.rows) stage.resize(nextSize);
        drawn = nextSize;
        stage.show(<AppView {...props} />);
      } finally {
        isDrawing = false;
      }
      return rows;
    },
    close: () => stage.close(),
  };
}
