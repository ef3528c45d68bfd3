/** Draws the frame: its parts from top to bottom, with the composer or a question in the last rows. */

import { MessageType } from '@castor/core';
import type { TranscriptItem } from '@castor/core';
import { Box } from 'ink';
import { StreamingContext } from '../contexts/streaming-context.tsx';
import type { GeminiStreamPort } from '../conversation/gemini-stream.ts';
import { useGeminiStream } from '../hooks/use-gemini-stream.ts';
import { useReactToolScheduler } from '../hooks/use-react-tool-scheduler.ts';
import type { ToolSchedulerPort } from '../hooks/use-react-tool-scheduler.ts';
import type { ComposerController } from '../input/composer-contract.ts';
import { Calls } from './calls.tsx';
import { Composer } from './composer.tsx';
import type { FrameData, FrameShares } from './frame-data.ts';
import { gapRows } from './gap-rows.ts';
import { HistoryItemDisplay } from './history-item-display.tsx';
import { LoadingIndicator } from './loading-indicator.tsx';
import { Plan } from './plan.tsx';
import { Queue } from './queue.tsx';
import { Rows } from './rows.tsx';

export interface AppViewProps {
  readonly data: FrameData;
  readonly shares: FrameShares;
  readonly composer: ComposerController;
  readonly stream: GeminiStreamPort & ToolSchedulerPort;
}

export function AppView({ data: given, shares, composer, stream }: AppViewProps) {
  const { streamingState, pendingHistoryItems } = useGeminiStream(stream);
  const [toolCalls] = useReactToolScheduler(stream);
  const data = { ...given, calls: toolCalls };
  const { styles, size, rule, status } = data;
  const { answer, dialog, hasGap } = shares;
  const isBelowGap = data.isBelowGap && answer.length === 0;
  return (
    <StreamingContext value={streamingState}>
      <Box flexDirection="column">
        <HistoryItemDisplay type={typeOfAnswer(pendingHistoryItems)} rows={answer} />
        <Calls data={data} maxRows={shares.calls} isBelowGap={isBelowGap} isBesideQuestion={dialog !== undefined} />
        <Plan data={data} maxRows={shares.plan} />
        <Rows rows={gapRows(hasGap, data.composer, dialog)} />
        <Queue data={data} maxRows={shares.queue} />
        {shares.hasStatus && <LoadingIndicator status={status} styles={styles} width={size.columns - 1} />}
        {dialog ? <Rows rows={dialog.rows} /> : <Composer controller={composer} rule={rule} styles={styles} />}
      </Box>
    </StreamingContext>
  );
}

/** The end of an answer stays visible when its item is committed. */
function typeOfAnswer(items: readonly TranscriptItem[]): MessageType {
  return items.some(({ type }) => type === 'gemini') ? MessageType.GEMINI : MessageType.GEMINI_CONTENT;
}
