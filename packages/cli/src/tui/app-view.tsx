/** Draws the frame with Ink: the sections in their order, with the composer or a dialog among them. */

import { MessageType } from '@castor/core';
import type { TranscriptItem } from '@castor/core';
import { Box } from 'ink';
import { Composer } from './components/composer.tsx';
import { HistoryItemDisplay } from './components/history-item-display.tsx';
import { LoadingIndicator } from './components/loading-indicator.tsx';
import { Rows } from './components/rows.tsx';
import { StreamingContext } from './contexts/streaming-context.tsx';
import type { FrameSections } from './frame-layout.ts';
import type { GeminiStreamPort } from './gemini-stream.ts';
import { useGeminiStream } from './hooks/use-gemini-stream.ts';
import { useReactToolScheduler } from './hooks/use-react-tool-scheduler.ts';
import type { ToolSchedulerPort } from './hooks/use-react-tool-scheduler.ts';
import type { ComposerController } from './input/composer-contract.ts';
import type { Styles } from './theme/styles.ts';

export interface AppViewProps {
  readonly sections: FrameSections;
  readonly composer: ComposerController;
  readonly styles: Styles;
  readonly stream: GeminiStreamPort & ToolSchedulerPort;
}

export function AppView({ sections, composer, styles, stream }: AppViewProps) {
  const { answer, calls, todos, loading, queue, above, dialog, below } = sections;
  const { streamingState, pendingHistoryItems } = useGeminiStream(stream);
  const [toolCalls] = useReactToolScheduler(stream);
  return (
    <StreamingContext value={streamingState}>
      <Box flexDirection="column">
        <HistoryItemDisplay type={typeOfAnswer(pendingHistoryItems)} rows={answer} />
        {toolCalls.length > 0 && <HistoryItemDisplay type={MessageType.TOOL_GROUP} rows={calls} />}
        <Rows rows={todos} />
        <LoadingIndicator rows={loading} />
        <Rows rows={queue} />
        <Rows rows={above} />
        {dialog ? <Rows rows={dialog.rows} /> : <Composer controller={composer} styles={styles} />}
        <Rows rows={below} />
      </Box>
    </StreamingContext>
  );
}

/** The end of an answer stays visible when its item is committed. */
function typeOfAnswer(items: readonly TranscriptItem[]): MessageType {
  return items.some(({ type }) => type === 'gemini') ? MessageType.GEMINI : MessageType.GEMINI_CONTENT;
}
