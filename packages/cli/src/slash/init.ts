import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

const PROMPT = `Write GEMINI.md for this project: the instructions a coding agent should read before it works here.

Look at the folder first: the README, the build and package files, a few of the main sources and tests. Then write to GEMINI.md, which exists and is empty, in plain markdown of at most a page:
- what the project is, in two sentences, and how it is laid out;
- the exact commands to build, run, test and check it, as you found them, marked where you are not sure;
- conventions you can see in the code and that a newcomer would get wrong.
If the folder holds no code, describe what is there and what it is for. Do not invent anything.`;

export const init: SlashCommand = {
  name: 'init',
  description: 'Asks the model to write a GEMINI.md for this project.',
  source: 'builtin',
  runsHeadless: true,
  usage: '[what to pay attention to]',
  async run({ agent }, words) {
    try {
      await writeFile(join(agent.workspace.root, 'GEMINI.md'), '', { flag: 'wx' });
      const wish = words.trim() === '' ? '' : `\n\nThe user adds: ${words.trim()}`;
      return { type: 'submit_prompt', parts: [{ text: `${PROMPT}${wish}` }] };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        return info('This folder already has a GEMINI.md. Nothing was changed.');
      }
      return failure(`GEMINI.md could not be created: ${getErrorMessage(error)}`);
    }
  },
};
