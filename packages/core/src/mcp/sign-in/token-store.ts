/**
 * TokenStore: where sign-ins are kept: the keyring of the system, else the file that Gemini CLI shares. A list of names
 * tells which are in the keyring, so that a start asks it only for a sign-in that is there. A refresh stays where the
 * sign-in was; changes of several processes do not overwrite each other.
 */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockFolder } from '../../config/folder-lock.ts';
import { lockForLong } from '../../config/long-lock.ts';
import { readSourceFile } from '../../config/source-file.ts';
import { getErrorMessage } from '../../protocol/errors.ts';
import type { Clock } from '../../util/clock.ts';
import { makeDirectory } from '../../util/make-directory.ts';
import { replaceFile } from '../../util/replace-file.ts';
import { sha256 } from '../../util/sha256.ts';
import type { Keyring, OpenKeyring } from './keyring.ts';
import { SignInError } from './sign-in-error.ts';
import { belongsTo, toStoredSignIn } from './stored-sign-in.ts';
import type { StoredSignIn } from './stored-sign-in.ts';
import { TokenFile } from './token-file.ts';
import { isKeyringForced, tokenPlaces } from './token-places.ts';
import type { SignInPurpose } from './token-places.ts';

export type TokenPlace = 'keyring' | 'file' | 'encrypted-file';

/** The server that a sign-in is for. */
export interface SignInTarget {
  name: string;
  url: string;
  isOfProject: boolean;
}

export interface FoundSignIn {
  signIn: StoredSignIn;
  place: TokenPlace;
}

export interface TokenStoreOptions {
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  openKeyring?: OpenKeyring | undefined;
  /** Default: MCP servers. */
  purpose?: SignInPurpose | undefined;
}

/** Gemini CLI's own services. */
const SERVICES: Readonly<Record<SignInPurpose, string>> = { mcp: 'gemini-cli-oauth', a2a: 'gemini-cli-a2a' };

export class TokenStore {
  /** Why a place could not be read, as a sentence. */
  problem: string | undefined;
  readonly file: TokenFile;
  private readonly options: TokenStoreOptions;
  private readonly paths: ReturnType<typeof tokenPlaces>;

  constructor(options: TokenStoreOptions) {
    this.options = options;
    this.paths = tokenPlaces(options.home, options.purpose);
    this.file = new TokenFile(this.paths.file);
  }

  /** Throws a SignInError for a file that cannot be read. */
  async find(target: SignInTarget): Promise<FoundSignIn | undefined> {
    const isOwn = (signIn: StoredSignIn) => belongsTo(signIn, target);
    const inKeyring = await this.findInKeyring(target);
    if (inKeyring && isOwn(inKeyring)) return { signIn: inKeyring, place: 'keyring' };
    const inFile = this.file.find(isOwn);
    if (inFile) return { signIn: inFile, place: 'file' };
    const encrypted = await this.findEncrypted(target.name);
    return encrypted && isOwn(encrypted) ? { signIn: encrypted, place: 'encrypted-file' } : undefined;
  }

  /** A new sign-in: into the keyring if there is one and it accepts it. Resolves to the place. */
  async add(signIn: StoredSignIn, { isPlain = false } = {}): Promise<TokenPlace> {
    const place = !isPlain && (await this.tryKeyring(signIn)) ? 'keyring' : 'file';
    if (place === 'file') await this.deleteFromKeyring(signIn.serverName);
    await this.locked(() => {
      this.file.replace((old) => isSame(old, signIn), place === 'file' ? signIn : undefined);
      this.list(signIn.serverName, place === 'keyring');
    });
    return place;
  }

  /** A renewed sign-in: where the old one was, or in the file if that was Gemini CLI's encrypted file. */
  async update(signIn: StoredSignIn, place: TokenPlace): Promise<void> {
    if (place === 'keyring') {
      const keyring = await this.openKeyring();
      await keyring?.set(accountOf(signIn.serverName), JSON.stringify(signIn));
      if (keyring) return;
    }
    await this.locked(() => void this.file.replace((old) => isSame(old, signIn), signIn));
  }

  /** Resolves to whether there was one. Gemini CLI's encrypted file stays as it is. */
  async remove(target: SignInTarget): Promise<boolean> {
    const inKeyring = await this.findInKeyring(target);
    const isInKeyring = inKeyring !== undefined && belongsTo(inKeyring, target);
    if (isInKeyring) await this.deleteFromKeyring(target.name);
    return this.locked(() => {
      if (isInKeyring) this.list(target.name, false);
      return this.file.replace((old) => belongsTo(old, target), undefined) || isInKeyring;
    });
  }

  /** The same for every server of this name, also one that is no longer configured. */
  async removeName(name: string): Promise<boolean> {
    const isListed = this.listed().includes(name);
    await this.deleteFromKeyring(name);
    return this.locked(() => {
      this.list(name, false);
      return this.file.replace((old) => old.serverName === name, undefined) || isListed;
    });
  }

  /** Runs while no other process renews the tokens of this server. */
  async whileRenewing<T>(name: string, run: () => Promise<T>): Promise<T> {
    makeDirectory(dirname(this.paths.file));
    const path = `${this.paths.file}.${sha256(name).slice(0, 12)}.renewing`;
    const release = await lockForLong(path, this.options.clock);
    try {
      return await run();
    } finally {
      release();
    }
  }

  private async findInKeyring({ name }: SignInTarget): Promise<StoredSignIn | undefined> {
    if (!this.listed().includes(name) && !isKeyringForced(this.options.environment)) return undefined;
    try {
      const secret = await (await this.openKeyring())?.get(accountOf(name));
      if (secret !== undefined) return toStoredSignIn(JSON.parse(secret));
      if (this.listed().includes(name)) this.problem = `The keyring of the system has no sign-in for ${name} any more.`;
    } catch (error) {
      this.problem = `The keyring of the system did not answer: ${getErrorMessage(error)}`;
    }
    return undefined;
  }

  private async findEncrypted(name: string): Promise<StoredSignIn | undefined> {
    if (!existsSync(this.paths.encrypted)) return undefined;
    const { readEncryptedStore } = await import('./encrypted-store.ts');
    try {
      const secret = (await readEncryptedStore(this.paths.encrypted))?.[accountOf(name)];
      return secret === undefined ? undefined : toStoredSignIn(JSON.parse(secret));
    } catch (error) {
      this.problem = getErrorMessage(error);
      return undefined;
    }
  }

  private async tryKeyring(signIn: StoredSignIn): Promise<boolean> {
    try {
      const keyring = await this.openKeyring();
      await keyring?.set(accountOf(signIn.serverName), JSON.stringify(signIn));
      return keyring !== undefined;
    } catch {
      // Locked, or the tokens are too long for it: the file takes them.
      return false;
    }
  }

  private async deleteFromKeyring(name: string): Promise<void> {
    if (!this.listed().includes(name) && !isKeyringForced(this.options.environment)) return;
    const keyring = await this.openKeyring().catch(() => undefined);
    await keyring?.delete(accountOf(name)).catch(() => undefined);
  }

  private async openKeyring(): Promise<Keyring | undefined> {
    return this.options.environment['GEMINI_FORCE_FILE_STORAGE'] === 'true'
      ? undefined
      : this.options.openKeyring?.(SERVICES[this.options.purpose ?? 'mcp']);
  }

  /** The servers whose sign-ins are in the keyring. */
  private listed(): string[] {
    try {
      const names: unknown = readSourceFile(this.paths.list)?.['keyring'];
      return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
    } catch (error) {
      throw new SignInError('setup', `${getErrorMessage(error)} Delete it and sign in again.`, { cause: error });
    }
  }

  private list(name: string, isInKeyring: boolean): void {
    const before = this.listed();
    if (before.includes(name) === isInKeyring) return;
    const names = isInKeyring ? [...before, name] : before.filter((each) => each !== name);
    replaceFile(this.paths.list, `${JSON.stringify({ keyring: names }, null, 2)}\n`);
  }

  private async locked<T>(change: () => T): Promise<T> {
    makeDirectory(dirname(this.paths.file));
    const release = await lockFolder(`${this.paths.file}.lock`, this.options.clock);
    try {
      return change();
    } finally {
      release();
    }
  }
}

function isSame(old: StoredSignIn, { serverName, mcpServerUrl }: StoredSignIn): boolean {
  const isOfServer = old.mcpServerUrl === undefined || old.mcpServerUrl === mcpServerUrl;
  return old.serverName === serverName && isOfServer;
}

function accountOf(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_');
}
