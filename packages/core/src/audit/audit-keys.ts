/**
 * The key pair that signs the log: made with its first line, readable by its owner only. The public key is a file of its
 * own, to be kept elsewhere: a program that has both the key and the log can write another one.
 */

import { existsSync, readFileSync } from 'node:fs';
import { builtin } from '../util/builtin-modules.ts';
import { replaceFile } from '../util/replace-file.ts';
import { sha256 } from '../util/sha256.ts';
import type { AuditPlace } from './audit-place.ts';
import type { ChainEnd } from './chain-line.ts';

type KeyObject = ReturnType<typeof builtin.crypto.createPublicKey>;
/** `x` is the public half. */
type JsonWebKey = { x?: string; [name: string]: unknown };

export interface AuditKeys {
  /** A short name of the key: the start of its hash. */
  id: string;
  sign(end: ChainEnd): string;
}

export interface PublicKey {
  id: string;
  pem: string;
  isSigned(end: ChainEnd, signature: string): boolean;
}

const ID_LENGTH = 16;

/**
 * Makes the key where there is none. Throws file-system errors. Call it while the log is locked. The key is kept as JWK, which
 * is read several times faster than PEM.
 */
export function openKeys({ keyFile, publicKeyFile }: AuditPlace): AuditKeys {
  const jwk = readKey(keyFile) ?? createKey(keyFile);
  const key = builtin.crypto.createPrivateKey({ key: jwk, format: 'jwk' });
  if (!existsSync(publicKeyFile))
    replaceFile(publicKeyFile, builtin.crypto.createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  return {
    id: keyId(jwk),
    sign: (end) => builtin.crypto.sign(null, toSigned(end), key).toString('base64'),
  };
}

/** What the codes of heads are made with; undefined until there is a key. Loads no cryptography. */
export function readSecret({ keyFile }: AuditPlace): string | undefined {
  return readText(keyFile);
}

/** Undefined where the file is absent. Throws an Error for a file that is no public key. */
export function readPublicKey(file: string): PublicKey | undefined {
  const text = readText(file);
  return text === undefined ? undefined : toPublicKey(text, file);
}

/** `from` names the origin in the error. */
export function toPublicKey(text: string, from: string): PublicKey {
  let key: KeyObject;
  try {
    key = builtin.crypto.createPublicKey(text);
  } catch (error) {
    throw new Error(`${from} is no public key in PEM form.`, { cause: error });
  }
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  return {
    id: keyId(key.export({ format: 'jwk' })),
    pem,
    isSigned: (end, signature) =>
      builtin.crypto.verify(null, toSigned(end), key, Buffer.from(String(signature), 'base64')),
  };
}

function readKey(file: string): JsonWebKey | undefined {
  const text = readText(file);
  return text === undefined ? undefined : (JSON.parse(text) as JsonWebKey);
}

function createKey(file: string): JsonWebKey {
  const { privateKey } = builtin.crypto.generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  replaceFile(file, `${JSON.stringify(jwk)}\n`);
  return jwk;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** From the public half. */
function keyId({ x = '' }: JsonWebKey): string {
  return sha256(x).slice(0, ID_LENGTH);
}

function toSigned({ seq, hash }: ChainEnd): Buffer {
  return Buffer.from(`castor audit\n${seq}\n${hash}\n`);
}
