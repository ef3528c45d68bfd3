import { share } from './chat.ts';
import type { SlashCommand } from './command.ts';

/** `/chat share` under Gemini CLI's other name. */
export const exportSession: SlashCommand = { ...share, name: 'export-session' };
