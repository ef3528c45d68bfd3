/** The frame as Ink draws it: the sections in their order, with the composer or a dialog among them. */

import { Box } from 'ink';
import { Composer } from './components/composer.tsx';
import { Rows } from './components/rows.tsx';
import { StreamingContext } from './contexts/streaming-context.tsx';
import type { FrameSections } from './frame-layout.ts';
import { useGeminiStream } from './hooks/use-gemini-stream.ts';
import type { GeminiStreamPort } from './hooks/use-gemini-stream.ts';
import type { ComposerController } from './input/composer-contract.ts';
import type { Styles } from './theme/styles.ts';

export interface AppViewProps {
  readonly sections: FrameSections;
  readonly composer: ComposerController;
  readonly styles: Styles;
  readonly stream: GeminiStreamPort;
}

export function AppView({ sections, composer, styles, stream }: AppViewProps) {
  const { answer, calls, todos, loading, queue, dialog, below } = sections;
  const { streamingState } = useGeminiStream(stream);
  return (
    <StreamingContext value={streamingState}>
      <Box flexDirection="column">
        <Rows rows={answer} />
        <Rows rows={calls} />
        <Rows rows={todos} />
        <Rows rows={loading} />
        <Rows rows={queue} />
        {dialog ? <Rows rows={dialog.rows} /> : <Composer controller={composer} styles={styles} />}
        <Rows rows={below} />
      </Box>
    </StreamingContext>
  );
}
