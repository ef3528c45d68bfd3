/** read_file, write_file and replace together, on real files. */

import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolError } from '../../protocol/errors.ts';
import type { ConfirmationPayload, DefinedTool, ToolResult } from '../../protocol/tools.ts';
import { FileStore } from '../files/file-store.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { ReadLedger } from '../files/read-ledger.ts';
import { Workspace } from '../files/workspace.ts';
import { createReadFileTool } from './read-file.ts';
import { createReplaceTool } from './replace.ts';
import { createWriteFileTool } from './write-file.ts';

let root: string;
let tools: Record<'read' | 'write' | 'replace', DefinedTool>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'castor-files-')));
  await writeFile(path.join(root, '.geminiignore'), 'hidden.txt\n');
  const workspace = new Workspace({
    root,
    tempDirectory: path.join(root, '..', 'castor-none'),
    ignore: await IgnoreRules.load(root),
  });
  const ledger = new ReadLedger();
  const store = new FileStore(workspace, ledger);
  tools = {
    read: createReadFileTool({ workspace, ledger }),
    write: createWriteFileTool({ store }),
    replace: createReplaceTool({ store }),
  };
});

afterEach(() => rm(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);
const text = (name: string) => readFile(at(name), 'utf8');

function context(confirmation?: ConfirmationPayload, signal = new AbortController().signal) {
  return { callId: 'call', signal, onOutput: () => {}, onPid: () => {}, ...(confirmation && { confirmation }) };
}

const run = (tool: keyof typeof tools, args: Record<string, unknown>): Promise<ToolResult> =>
  tools[tool].build(args).execute(context());
const replace = (file_path: string, old_string: string, new_string: string, more = {}) =>
  run('replace', { file_path, instruction: 'test', old_string, new_string, ...more });
const write = (file_path: string, content: string) => run('write', { file_path, content });
const read = (file_path: string, more = {}) => run('read', { file_path, ...more });

async function failure(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (error instanceof ToolError) return error.type;
    throw error;
  }
  return 'none';
}

describe('a refused edit', () => {
  it.each([
    ['x', 'x', 'No changes to apply: old_string and new_string are identical.'],
    ['', 'y', 'Put the text to replace into old_string.'],
    ['nowhere', 'y', 'Failed to edit: 0 occurrences of old_string found in'],
    ['nowhere', 'y', 'Nothing was written.'],
  ])('from %j to %j names the reason and what to do', async (before, after, sentence) => {
    await writeFile(at('a.txt'), 'x\n');
    await read('a.txt');
    await expect(replace('a.txt', before, after)).rejects.toThrow(sentence);
    expect(await text('a.txt')).toBe('x\n');
  });
});

describe('read_file', () => {
  it('gives the whole text without its mark and with plain line ends', async () => {
    await writeFile(at('a.txt'), '\uFEFFone\r\ntwo\n');
    expect(await read('a.txt')).toEqual({
      llmContent: 'one\ntwo\n',
      returnDisplay: '',
      data: { path: at('a.txt'), bytes: 12, totalLines: 2 },
    });
  });

  it('gives a range and says what is left', async () => {
    await writeFile(at('a.txt'), '1\n2\n3\n4\n');
    expect(await read('a.txt', { start_line: 2, end_line: 3 })).toMatchObject({
      llmContent:
        'IMPORTANT: The file content has been truncated.\nStatus: Showing lines 2-3 of 4 total lines.\nAction: To continue reading, call read_file again with start_line: 4 (and end_line, if you need only a part).\n\n--- FILE CONTENT (truncated) ---\n2\n3\n',
      returnDisplay: 'Read lines 2-3 of 4 from a.txt',
    });
  });

  it('stops after 2000 lines and 2000 characters of a line', async () => {
    await writeFile(at('long.txt'), 'x\n'.repeat(2500));
    await writeFile(at('wide.txt'), `${'y'.repeat(3000)}\n`);
    expect((await read('long.txt')).returnDisplay).toBe('Read lines 1-2000 of 2500 from long.txt');
    const wide = await read('wide.txt');
    expect(wide.returnDisplay).toBe('Read all 1 lines from wide.txt (some lines were shortened)');
    expect(wide.llmContent).toMatch(/\ny{2000}\.{3} \[truncated\]\n$/);
  });

  it('gives media as data, by content, and names what it cannot show', async () => {
    const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), Buffer.alloc(8)]);
    await writeFile(at('picture.dat'), png);
    await writeFile(at('sound.mp3'), Buffer.alloc(32));
    await writeFile(at('blob.bin'), Buffer.from([0, 1, 2]));
    await writeFile(at('icon.svg'), '<svg/>');
    await writeFile(at('pointer.png'), 'version https://git-lfs\n');
    expect((await read('picture.dat')).llmContent).toEqual({
      inlineData: { data: png.toString('base64'), mimeType: 'image/png' },
    });
    expect((await read('sound.mp3')).returnDisplay).toBe('Read audio file: sound.mp3');
    expect((await read('blob.bin')).llmContent).toBe('Cannot display content of binary file: blob.bin');
    expect((await read('icon.svg')).llmContent).toBe('<svg/>');
    expect((await read('pointer.png')).llmContent).toBe('version https://git-lfs\n');
  });

  it('refuses 3 GB without reading them', async () => {
    await writeFile(at('huge'), '');
    await truncate(at('huge'), 3 * 1024 ** 3);
    expect(await failure(() => read('huge', { start_line: 1, end_line: 2 }))).toBe('file_too_large');
  });

  it('refuses ignored files, also by another name', async () => {
    await writeFile(at('hidden.txt'), 'secret');
    await symlink('hidden.txt', at('innocent.txt'));
    expect([await failure(() => read('hidden.txt')), await failure(() => read('innocent.txt'))]).toEqual([
      'invalid_tool_params',
      'invalid_tool_params',
    ]);
  });

  it('names what went wrong', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    await writeFile(at('short'), 'x');
    const types = [];
    for (const [file_path, more] of [
      ['none', {}],
      ['.', {}],
      ['pipe', {}],
      ['/etc/passwd', {}],
      ['short', { start_line: 9 }],
    ] as const) {
      types.push(await failure(() => read(file_path, more)));
    }
    expect(types).toEqual([
      'file_not_found',
      'target_is_directory',
      'read_content_failure',
      'path_not_in_workspace',
      'invalid_tool_params',
    ]);
  });

  it.each([
    {},
    { file_path: '' },
    { file_path: 3 },
    { file_path: 'a', start_line: 3, end_line: 2 },
    { file_path: 'a', start_line: 0 },
    { file_path: 'a', offset: 1 },
  ])('refuses the arguments %j', (args) => {
    expect(() => tools.read.build(args)).toThrow(ToolError);
  });
});

describe('write_file', () => {
  it('creates a file and the directories above it', async () => {
    const result = await write('new/deep/a.txt', 'hi\n');
    expect(result.llmContent).toBe(
      `Successfully created and wrote to new file: ${at('new/deep/a.txt')}. Here is the updated code:\nhi\n`,
    );
    expect(result.returnDisplay).toMatchObject({
      fileName: 'a.txt',
      originalContent: null,
      newContent: 'hi\n',
      isNewFile: true,
      fileDiff: '--- a.txt\tOriginal\n+++ a.txt\tWritten\n@@ -0,0 +1 @@\n+hi\n',
      diffStat: { model_added_lines: 1, model_removed_lines: 0, model_added_chars: 2, user_added_lines: 0 },
    });
    expect(await text('new/deep/a.txt')).toBe('hi\n');
  });

  it('keeps line ends, mark, mode and link of the file it replaces', async () => {
    await writeFile(at('real.txt'), '\uFEFFa\r\nb\r\n');
    await chmod(at('real.txt'), 0o754);
    await symlink('real.txt', at('link.txt'));
    const result = await write('link.txt', 'a\nc\n');
    expect(result.llmContent).toBe(`Successfully overwrote file: ${at('link.txt')}. Here is the updated code:\na\nc`);
    expect({
      text: await text('real.txt'),
      link: await readlink(at('link.txt')),
      mode: (await stat(at('real.txt'))).mode & 0o777,
    }).toEqual({
      text: '\uFEFFa\r\nc\r\n',
      link: 'real.txt',
      mode: 0o754,
    });
  });

  it('keeps the bytes and line ends of lines that stay', async () => {
    await writeFile(at('legacy.txt'), Buffer.from('caf\xE9\r\nold\nend\r\n', 'latin1'));
    await write('legacy.txt', 'caf\uFFFD\nnew\nend\n');
    expect((await readFile(at('legacy.txt'))).toString('latin1')).toBe('caf\xE9\r\nnew\r\nend\r\n');
  });

  it('leaves the other names of a file as they were', async () => {
    await writeFile(at('one'), 'old');
    await link(at('one'), at('two'));
    await write('one', 'new');
    expect([await text('one'), await text('two')]).toEqual(['new', 'old']);
  });

  it('leaves nothing behind and the old content whole when it cannot write', async () => {
    await mkdir(at('folder'));
    await writeFile(at('file'), 'x');
    execFileSync('mkfifo', [at('pipe')]);
    await symlink('/tmp/castor-outside-target', at('out'));
    const types = [];
    for (const name of ['folder', 'file/below', 'pipe', 'out', '../outside'])
      types.push(await failure(() => write(name, 'y')));
    expect(types).toEqual([
      'target_is_directory',
      'file_write_failure',
      'read_content_failure',
      'path_not_in_workspace',
      'path_not_in_workspace',
    ]);
    expect((await readdir(root)).toSorted()).toEqual(['.geminiignore', 'file', 'folder', 'out', 'pipe']);
  });

  it.each([
    '// ... rest of the methods ...',
    '# ... existing code ...',
    '(unchanged code ...)',
    '/* remaining implementation... */',
    '<!-- ... rest of file unchanged ... -->',
  ])('refuses the placeholder %j', (line) => {
    expect(() => tools.write.build({ file_path: 'a', content: `a\n${line}\nb` })).toThrow('placeholder');
  });

  it.each([
    'const all = [...rest];',
    '// Loading...',
    'print("...")',
    '# Wait for the rest of the queue',
    'f(...existing);',
  ])('takes %j for code', (line) => {
    expect(() => tools.write.build({ file_path: 'a', content: line })).not.toThrow();
  });
});

describe('replace', () => {
  it('changes the one place and reports it', async () => {
    await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
    const result = await replace('a.txt', 'two', 'TWO');
    expect(result.llmContent).toBe(
      `Successfully modified file: ${at('a.txt')} (1 replacements). Here is the updated code:\none\nTWO\nthree`,
    );
    expect(result.data).toMatchObject({ replacements: 1, strategy: 'exact', lines: [2], bytesWritten: 14 });
    expect(await text('a.txt')).toBe('one\nTWO\nthree\n');
  });

  it('creates a file from an empty old_string', async () => {
    expect((await replace('n/new.txt', '', 'hi')).llmContent).toBe(
      `Created new file: ${at('n/new.txt')} with provided content. Here is the updated code:\nhi`,
    );
  });

  it('names every failure and writes nothing', async () => {
    await writeFile(at('a.txt'), 'x\nx\n');
    const before = await lstat(at('a.txt'));
    expect([
      await failure(() => replace('none', 'x', 'y')),
      await failure(() => replace('a.txt', '', 'y')),
      await failure(() => replace('a.txt', 'x', 'y')),
      await failure(() => replace('a.txt', 'not there at all', 'y')),
      await failure(() => replace('a.txt', 'x', 'x')),
    ]).toEqual([
      'file_not_found',
      'attempt_to_create_existing_file',
      'edit_expected_occurrence_mismatch',
      'edit_no_occurrence_found',
      'edit_no_change',
    ]);
    expect((await lstat(at('a.txt'))).ino).toBe(before.ino);
  });

  it('replaces every occurrence when told', async () => {
    await writeFile(at('a.txt'), 'x\r\nx\r\n');
    expect((await replace('a.txt', 'x', '$&', { allow_multiple: true })).data).toMatchObject({ replacements: 2 });
    expect(await text('a.txt')).toBe('$&\r\n$&\r\n');
  });

  it('keeps whether the file ends with a line end', async () => {
    await writeFile(at('with'), 'a\nb\n');
    await writeFile(at('without'), 'a\nb');
    await replace('with', 'b\n', 'c');
    await replace('without', 'b', 'c\n');
    expect([await text('with'), await text('without')]).toEqual(['a\nc\n', 'a\nc']);
  });

  it('keeps bytes that are no text beside the change', async () => {
    await writeFile(at('legacy'), Buffer.from('caf\xE9 = 1;\r\nb\n', 'latin1'));
    await replace('legacy', 'caf\uFFFD = 1;', 'caf\uFFFD = 2;');
    expect((await readFile(at('legacy'))).toString('latin1')).toBe('caf\xE9 = 2;\r\nb\n');
    expect(await failure(() => replace('legacy', 'b', 'é'))).toBe('edit_preparation_failure');
  });

  it('shows the closest text when there is none', async () => {
    await writeFile(at('a.ts'), 'const port = 8080;\nlisten(port);\n');
    await expect(replace('a.ts', 'const port = 8081;\nlisten(port);', 'x')).rejects.toThrow(
      'The closest text is at lines 1-2:\nconst port = 8080;\nlisten(port);',
    );
  });

  it('refuses a file that others changed since it was read, until it is read again', async () => {
    await writeFile(at('a.txt'), 'one\ntwo\n');
    await read('a.txt');
    await writeFile(at('a.txt'), 'one\ntwo\nthree\n');
    expect(await failure(() => replace('a.txt', 'two', 'TWO'))).toBe('edit_preparation_failure');
    expect(await failure(() => write('a.txt', 'mine'))).toBe('edit_preparation_failure');
    expect(await text('a.txt')).toBe('one\ntwo\nthree\n');
    await read('a.txt');
    await replace('a.txt', 'two', 'TWO');
    await replace('a.txt', 'one', 'ONE');
    expect(await text('a.txt')).toBe('ONE\nTWO\nthree\n');
  });

  it('makes a hundred changes of one file one after the other', { tags: 'wide' }, async () => {
    const names = Array.from({ length: 100 }, (_, index) => `item_${String(index).padStart(3, '0')}`);
    await writeFile(at('a.txt'), names.join('\n'));
    await Promise.all(names.map((name) => replace('a.txt', name, name.toUpperCase())));
    expect(await text('a.txt')).toBe(names.join('\n').toUpperCase());
    expect(await readdir(root)).toEqual(['.geminiignore', 'a.txt']);
  });

  it('shows the change before it runs, and runs nothing that was not shown', async () => {
    await writeFile(at('a.txt'), 'one\n');
    const { signal } = new AbortController();
    const call = tools.replace.build({ file_path: 'a.txt', instruction: 'i', old_string: 'one', new_string: 'two' });
    expect(await call.confirm(signal)).toEqual({
      type: 'edit',
      title: 'Confirm Edit: a.txt',
      fileDiff: '--- a.txt\tCurrent\n+++ a.txt\tProposed\n@@ -1 +1 @@\n-one\n+two\n',
      fileName: 'a.txt',
      filePath: at('a.txt'),
      originalContent: 'one\n',
      newContent: 'two\n',
      isNewFile: false,
    });
    await writeFile(at('a.txt'), 'one\nmore\n');
    expect(await failure(() => call.execute(context()))).toBe('edit_preparation_failure');
    const absent = tools.replace.build({ file_path: 'b.txt', instruction: 'i', old_string: 'one', new_string: 'two' });
    // Nobody is asked about an edit that cannot be made.
    expect(await failure(() => absent.confirm(signal))).toBe('file_not_found');
    await writeFile(at('b.txt'), 'one\n');
    expect(await failure(() => absent.execute(context()))).toBe('file_not_found');
  });

  it('writes what the person made of the proposal', async () => {
    await writeFile(at('a.txt'), 'one\r\n');
    const call = tools.replace.build({ file_path: 'a.txt', instruction: 'i', old_string: 'one', new_string: 'two' });
    await call.confirm(new AbortController().signal);
    const result = await call.execute(context({ newContent: 'three\n' }));
    expect(await text('a.txt')).toBe('three\r\n');
    expect(result.llmContent).toContain('The user modified the proposed content');
    expect(result.returnDisplay).toMatchObject({
      diffStat: { model_added_lines: 1, user_added_lines: 1, user_removed_lines: 1 },
    });
  });

  it.each<['replace' | 'write', Record<string, unknown>]>([
    ['replace', { instruction: 'i', old_string: 'one', new_string: 'two' }],
    ['write', { content: 'two\n' }],
  ])('%s gives arguments for what the person made of it, and they run', async (name, more) => {
    await writeFile(at('a.txt'), 'one\r\n');
    const { signal } = new AbortController();
    const first = tools[name].build({ file_path: 'a.txt', ...more });
    await first.confirm(signal);
    const args = first.modifyArgs!('three\r\n');
    expect(args).toMatchObject({ modified_by_user: true, ai_proposed_content: 'two\n' });
    expect(Object.values(args)).toContain('three\n');
    const second = tools[name].build(args);
    expect(await second.confirm(signal)).toMatchObject({ originalContent: 'one\r\n', newContent: 'three\r\n' });
    const result = await second.execute(context());
    expect(await text('a.txt')).toBe('three\r\n');
    expect(result.llmContent).toContain('The user modified the proposed content');
    expect(result.returnDisplay).toMatchObject({ diffStat: { model_added_lines: 1, user_added_lines: 1 } });
  });

  it('does not put the text of a person over a change they have not seen', async () => {
    await writeFile(at('a.txt'), 'one\n');
    const { signal } = new AbortController();
    const first = tools.write.build({ file_path: 'a.txt', content: 'two\n' });
    await first.confirm(signal);
    const second = tools.write.build(first.modifyArgs!('three\n'));
    await writeFile(at('a.txt'), 'others\n');
    expect(await failure(() => second.confirm(signal))).toBe('edit_preparation_failure');
    expect(await failure(() => second.execute(context()))).toBe('edit_preparation_failure');
    expect(await text('a.txt')).toBe('others\n');
  });

  it('takes no word of the model for that of a person', () => {
    const args = { file_path: 'a.txt', content: 'x', modified_by_user: true };
    expect(() => tools.write.build(args)).toThrow('modified_by_user');
  });

  it('names the file that was meant when only the end of its path was given, and changes nothing', async () => {
    await mkdir(at('packages/core/src'), { recursive: true });
    await writeFile(at('packages/core/src/deep.ts'), 'one\n');
    await expect(replace('src/deep.ts', 'one', 'two')).rejects.toThrow('Did you mean packages/core/src/deep.ts?');
    expect(await text('packages/core/src/deep.ts')).toBe('one\n');
  });

  it('does nothing once it is aborted', async () => {
    await writeFile(at('a.txt'), 'one\n');
    const call = tools.replace.build({ file_path: 'a.txt', instruction: 'i', old_string: 'one', new_string: 'two' });
    await expect(call.execute(context(undefined, AbortSignal.abort()))).rejects.toMatchObject({ name: 'AbortError' });
    expect(await text('a.txt')).toBe('one\n');
  });
});
