/**
 * Classifies the content of a file for the model: text, media it can view or hear, or
 * opaque bytes. The content decides where it can; the name decides between media that the
 * content does not identify.
 */

import path from 'node:path';
import { looksBinary } from './text-file.ts';

export type MediaType =
  | { kind: 'text' | 'svg' | 'binary' }
  | { kind: 'image' | 'pdf' | 'audio' | 'video'; mimeType: string };

const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.heic': 'image/heic',
  '.heif': 'image/heif',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.pdf': 'application/pdf',
  '.mp3': 'audio/mp3',
  '.wav': 'audio/wav',
  '.aif': 'audio/aiff',
  '.aiff': 'audio/aiff',
  '.aac': 'audio/aac',
  '.ogg': 'audio/ogg',
  '.flac': 'audio/flac',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mpeg': 'video/mpeg',
  '.mpg': 'video/mpg',
  '.mov': 'video/mov',
  '.avi': 'video/avi',
  '.flv': 'video/x-flv',
  '.webm': 'video/webm',
  '.wmv': 'video/wmv',
  '.3gp': 'video/3gpp',
};

const SIGNATURES: readonly (readonly [string, string])[] = [
  ['\x89PNG\r\n', 'image/png'],
  ['\xFF\xD8\xFF', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['%PDF-', 'application/pdf'],
];

export function detectMediaType(filePath: string, bytes: Uint8Array): MediaType {
  const extension = path.extname(filePath).toLowerCase();
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  const signed = SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1];
  if (signed !== undefined) return toMedia(signed);
  if (!looksBinary(bytes)) return { kind: extension === '.svg' ? 'svg' : 'text' };
  const named = BY_EXTENSION[extension];
  return named === undefined ? { kind: 'binary' } : toMedia(named);
}

function toMedia(mimeType: string): MediaType {
  if (mimeType === 'application/pdf') return { kind: 'pdf', mimeType };
  return { kind: mimeType.split('/')[0] as 'image' | 'audio' | 'video', mimeType };
}
