/**
 * Saves the image in the clipboard as a file only the user can read. It runs the program the platform has (wl-paste,
 * xclip, pngpaste, osascript, PowerShell) and reports plainly when there is none. Nothing runs through a shell.
 */

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage } from '@castor/core';
import { makeDirectory } from '@castor/core/program';

export type ClipboardAnswer =
  | { readonly type: 'image'; readonly path: string }
  | { readonly type: 'text'; readonly text: string }
  /** For the user: why nothing was pasted. */
  | { readonly type: 'none'; readonly message: string };

export interface ImageClipboard {
  read(): Promise<ClipboardAnswer>;
}

export interface ClipboardOptions {
  /** Where images are kept. */
  readonly directory: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch, for the name of the file. */
  readonly now: () => number;
  /** The time limit of a program; 3 seconds by default. */
  readonly timeoutMs?: number;
}

interface ClipboardProgram {
  readonly command: string;
  readonly imageArguments: readonly string[];
  readonly textArguments: readonly string[];
}

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 3000;
const EMPTY = 'The clipboard is empty.';
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

export function createImageClipboard(options: ClipboardOptions): ImageClipboard {
  return {
    async read() {
      const programs = programsFor(options);
      let message: string | undefined;
      for (const program of programs) {
        const answer = await ask(program, options);
        if (answer === undefined) continue;
        if (answer.type !== 'none') return answer;
        // An error message is more useful than an empty result.
        message = message === undefined || message === EMPTY ? answer.message : message;
      }
      return { type: 'none', message: message ?? missingMessage(programs) };
    },
  };
}

/** Undefined when the program is missing. */
async function ask(
  { command, imageArguments, textArguments }: ClipboardProgram,
  options: ClipboardOptions,
): Promise<ClipboardAnswer | undefined> {
  const image = await run(command, imageArguments, options);
  if (image === undefined) return undefined;
  if (typeof image === 'string') return { type: 'none', message: image };
  if (image.subarray(0, 4).equals(PNG)) return save(image, options);
  const text = textArguments.length > 0 ? await run(command, textArguments, options) : undefined;
  if (typeof text === 'string') return { type: 'none', message: text };
  if (text !== undefined && text.length > 0) return { type: 'text', text: text.toString('utf8') };
  return { type: 'none', message: EMPTY };
}

function programsFor({ platform, environment }: ClipboardOptions): ClipboardProgram[] {
  if (platform === 'darwin') {
    return [
      { command: 'pngpaste', imageArguments: ['-'], textArguments: [] },
      { command: 'pbpaste', imageArguments: ['-Prefer', 'png'], textArguments: [] },
    ];
  }
  if (platform === 'win32') return [];
  const wayland: ClipboardProgram = {
    command: 'wl-paste',
    imageArguments: ['--no-newline', '--type', 'image/png'],
    textArguments: ['--no-newline'],
  };
  const x11: ClipboardProgram = {
    command: 'xclip',
    imageArguments: ['-selection', 'clipboard', '-t', 'image/png', '-o'],
    textArguments: ['-selection', 'clipboard', '-o'],
  };
  return environment['WAYLAND_DISPLAY'] === undefined ? [x11, wayland] : [wayland, x11];
}

function missingMessage(programs: readonly ClipboardProgram[]): string {
  if (programs.length === 0) return 'Pasting images is not supported here. Type @ and the path of the image.';
  const names = programs.map(({ command }) => command).join(' or ');
  return `To paste from the clipboard install ${names}, or type @ and the path of the image.`;
}

async function save(image: Buffer, { directory, now }: ClipboardOptions): Promise<ClipboardAnswer> {
  const path = join(directory, `clipboard-${now()}.png`);
  try {
    makeDirectory(directory);
    await writeFile(path, image, { mode: 0o600 });
    return { type: 'image', path };
  } catch (error) {
    return { type: 'none', message: `The image could not be saved: ${getErrorMessage(error)}` };
  }
}

/** The output of the program, empty when it failed; a sentence when it timed out; undefined when it is missing. */
function run(
  command: string,
  args: readonly string[],
  { environment, timeoutMs = TIMEOUT_MS }: Pick<ClipboardOptions, 'environment' | 'timeoutMs'>,
): Promise<Buffer | string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let size = 0;
    const giveUp = (sentence: string) => {
      resolve(sentence);
      child.kill();
      // A child that inherited the pipe may hold it open.
      child.stdout.destroy();
    };
    const timer = setTimeout(() => giveUp(`Reading the clipboard timed out (${command}).`), timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) giveUp(`The clipboard content is larger than ${MAX_BYTES / 1024 / 1024} MB.`);
      else chunks.push(chunk);
    });
    child.on('error', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0 ? Buffer.concat(chunks) : Buffer.alloc(0));
    });
  });
}
