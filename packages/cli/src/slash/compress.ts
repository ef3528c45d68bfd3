import { CompressionStatus } from '@castor/core';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

export const compress: SlashCommand = {
  name: 'compress',
  aliases: ['summarize', 'compact'],
  description: 'Replaces the conversation with a summary.',
  source: 'builtin',
  runsHeadless: true,
  async run({ agent, signal }) {
    // The first message only describes the environment.
    if (agent.chat.getHistoryLength() <= 1) return info('Nothing to compress.');
    const prompt_id = `${agent.session.sessionId}########compress`;
    const { compressionStatus, originalTokenCount, newTokenCount } = await agent.client.tryCompressChat(
      prompt_id,
      true,
      signal,
    );
    // Context of sub-directories in tool results was removed with them.
    if (compressionStatus === CompressionStatus.COMPRESSED) await agent.reloadContext();
    switch (compressionStatus) {
      case CompressionStatus.COMPRESSED:
      case CompressionStatus.CONTENT_TRUNCATED:
        return info(`Chat history compressed from ${originalTokenCount} to ${newTokenCount} tokens.`);
      case CompressionStatus.NOOP:
        return info('Nothing to compress.');
      case CompressionStatus.COMPRESSION_FAILED_INFLATED_TOKEN_COUNT:
        return info('Compression did not reduce the history; the history is unchanged.');
      case CompressionStatus.COMPRESSION_FAILED_TOKEN_COUNT_ERROR:
      case CompressionStatus.COMPRESSION_FAILED_EMPTY_SUMMARY:
        return failure('The model returned no summary; the history is unchanged.');
    }
  },
};
