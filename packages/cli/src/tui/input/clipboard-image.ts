/**
 * The image in the clipboard, saved as a file of the owner's. It asks the program of
 * the platform that is there (wl-paste, xclip, pngpaste, osascript, PowerShell) and
 * says plainly when there is none. Nothing is run through a shell.
 */

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '@castor/core';

export type ClipboardAnswer =
  | { readonly type: 'image'; readonly path: string }
  | { readonly type: 'text'; readonly text: string }
  /** For the person: why nothing was pasted. */
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
}

interface ClipboardProgram {
  readonly command: string;
  readonly imageArguments: readonly string[];
  readonly textArguments: readonly string[];
}

const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 3000;
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

export function createImageClipboard(options: ClipboardOptions): ImageClipboard {
  return {
    async read() {
      const programs = programsFor(options);
      let isAnyThere = false;
      for (const { command, imageArguments, textArguments } of programs) {
        const image = await run(command, imageArguments, options.environment);
        if (image === undefined) continue;
        isAnyThere = true;
        if (image.subarray(0, 4).equals(PNG)) return { type: 'image', path: await save(image, options) };
        const text = textArguments.length > 0 ? await run(command, textArguments, options.environment) : undefined;
        if (text !== undefined && text.length > 0) return { type: 'text', text: text.toString('utf8') };
      }
      return { type: 'none', message: isAnyThere ? 'The clipboard is empty.' : missingMessage(programs) };
    },
  };
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

async function save(image: Buffer, { directory, now }: ClipboardOptions): Promise<string> {
  makeDirectory(directory);
  const path = join(directory, `clipboard-${now()}.png`);
  await writeFile(path, image, { mode: 0o600 });
  return path;
}

/** What the program wrote; empty when it failed, undefined when there is no such program. */
function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'], timeout: TIMEOUT_MS });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) child.kill();
      else chunks.push(chunk);
    });
    child.on('error', () => resolve(undefined));
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(chunks) : Buffer.alloc(0)));
  });
}
