/**
 * Parses a patch in the V4A format and applies it to a text. Context must match exactly and in one place: an edit that
 * could mean two places is rejected with the sentence that helps the model. Pure.
 */

import { ToolError } from '../../protocol/errors.ts';
import { readPatchHeader } from '../../util/patch-files.ts';
import type { PatchedFile } from '../../util/patch-files.ts';

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const MOVE = '*** Move to: ';

/** A change inside a file: the lines it replaces, found behind its `@@` lines. */
export interface Hunk {
  /** The texts of its `@@` lines, outermost first. */
  anchors: string[];
  old: string[];
  fresh: string[];
  /** The last line of `old` is the last of the file. */
  isAtEnd: boolean;
}

export interface FilePatch extends PatchedFile {
  /** The lines of an added file. */
  lines: string[];
  hunks: Hunk[];
}

/** Throws ToolError for a text that is not a patch. */
export function parsePatch(patch: string): FilePatch[] {
  const lines = patch.trim().split(/\r?\n/);
  if (lines[0] !== BEGIN || lines.at(-1) !== END) throw invalid(`it must start with "${BEGIN}" and end with "${END}"`);
  const files: FilePatch[] = [];
  for (const [index, line] of lines.slice(1, -1).entries()) {
    const header = readPatchHeader(line);
    if (header) files.push({ ...header, lines: [], hunks: [] });
    else addLine(files.at(-1), line, index + 2);
  }
  checkFiles(files);
  return files;
}

function addLine(file: FilePatch | undefined, line: string, number: number): void {
  if (!file)
    throw invalid(
      `line ${number} stands before the first "*** Add File: ", "*** Update File: " or "*** Delete File: "`,
    );
  if (line.startsWith(MOVE))
    throw invalid(`line ${number} moves a file, which is unsupported: add the new file and delete the old one`);
  if (file.kind === 'delete') {
    if (line.trim() !== '')
      throw invalid(`line ${number} follows "*** Delete File: ${file.path}", which takes no lines`);
    return;
  }
  if (file.kind === 'add') {
    if (!line.startsWith('+')) throw invalid(`line ${number} of the new file ${file.path} must start with "+"`);
    file.lines.push(line.slice(1));
    return;
  }
  addUpdateLine(file, line, number);
}

function addUpdateLine({ hunks, path }: FilePatch, line: string, number: number): void {
  if (line.startsWith('@@')) {
    const anchor = line.slice(2).trim();
    const last = hunks.at(-1);
    if (!last || last.old.length + last.fresh.length > 0) hunks.push(emptyHunk());
    if (anchor !== '') hunks.at(-1)?.anchors.push(anchor);
    return;
  }
  if (hunks.length === 0) hunks.push(emptyHunk());
  const hunk = hunks.at(-1)!;
  if (line === END_OF_FILE) hunk.isAtEnd = true;
  // Models leave out the space of an empty context line.
  else if (line === '' || line.startsWith(' ')) {
    hunk.old.push(line.slice(1));
    hunk.fresh.push(line.slice(1));
  } else if (line.startsWith('-')) hunk.old.push(line.slice(1));
  else if (line.startsWith('+')) hunk.fresh.push(line.slice(1));
  else throw invalid(`line ${number}, in ${path}, must start with a space, "+", "-" or "@@"`);
}

function emptyHunk(): Hunk {
  return { anchors: [], old: [], fresh: [], isAtEnd: false };
}

function checkFiles(files: readonly FilePatch[]): void {
  if (files.length === 0) throw invalid('it changes no file');
  const seen = new Set<string>();
  for (const { path, kind, hunks } of files) {
    if (path === '') throw invalid('a header names no file');
    if (seen.has(path)) throw invalid(`${path} occurs twice; put all its changes under one header`);
    seen.add(path);
    if (kind === 'update' && !hunks.some(({ old, fresh }) => old.join('\n') !== fresh.join('\n'))) {
      throw invalid(`the update of ${path} changes nothing`);
    }
  }
}

/** The text after the hunks, in their order. Throws ToolError when one of them has no place or several. */
export function applyHunks(text: string, { path, hunks }: FilePatch): string {
  const endsLine = text.endsWith('\n') || text === '';
  const lines = (endsLine ? text.slice(0, -1) : text).split('\n');
  if (text === '') lines.length = 0;
  const result: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = findPlace(lines, hunk, at, path);
    result.push(...lines.slice(at, start), ...hunk.fresh);
    at = start + hunk.old.length;
  }
  result.push(...lines.slice(at));
  return result.join('\n') + (endsLine && result.length > 0 ? '\n' : '');
}

function findPlace(lines: readonly string[], { anchors, old, isAtEnd }: Hunk, from: number, path: string): number {
  let at = from;
  for (const anchor of anchors) {
    const found = lines.findIndex((line, index) => index >= at && line.trim() === anchor);
    if (found < 0) throw failed(path, `no line behind the last change is "${anchor}", as its "@@" line says`);
    at = found + 1;
  }
  if (old.length === 0) {
    if (isAtEnd) return lines.length;
    if (anchors.length > 0 || lines.length === 0) return at;
    throw failed(path, 'lines are added without a place; give the lines around them, or a "@@" line');
  }
  // The context may begin with the line of the anchor itself.
  const first = anchors.length > 0 ? at - 1 : at;
  const places: number[] = [];
  for (let index = Math.max(first, from); index + old.length <= lines.length; index++) {
    const isHere = old.every((line, offset) => lines[index + offset] === line);
    if (isHere && (!isAtEnd || index + old.length === lines.length)) places.push(index);
  }
  const [place] = places;
  if (place === undefined) throw failed(path, `these lines were not found, exactly as they are:\n${old.join('\n')}`);
  if (places.length > 1 && anchors.length === 0) {
    throw failed(path, `these lines occur ${places.length} times; add more context or a "@@" line:\n${old.join('\n')}`);
  }
  return place;
}

function invalid(problem: string): ToolError {
  return new ToolError(`The patch is invalid: ${problem}. Nothing was written.`, 'invalid_tool_params');
}

function failed(path: string, problem: string): ToolError {
  return new ToolError(
    `The patch does not fit ${path}: ${problem}\nNothing was written, in any file. Read the file again, then send the whole patch again.`,
    'edit_no_occurrence_found',
  );
}
