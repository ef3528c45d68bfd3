/**
 * Google's application default credentials: where they are, and the files that describe them. It reads no file and keeps
 * no token; token-source.ts does.
 */

import { join } from 'node:path';
import { isRecord } from '../../util/is-record.ts';

export interface ServiceAccount {
  type: 'service_account';
  clientEmail: string;
  privateKey: string;
  privateKeyId?: string | undefined;
  tokenUri: string;
  projectId?: string | undefined;
}

export interface AuthorizedUser {
  type: 'authorized_user';
  clientId: string;
  clientSecret: string;
  refreshToken: string;
  quotaProject?: string | undefined;
}

/** The metadata server of a machine in Google's cloud. */
export interface MetadataServer {
  type: 'metadata';
  /** Default `http://metadata.google.internal`. */
  baseUrl?: string | undefined;
}

/** A token that a program printed, for logins we do not support ourselves. */
export interface GivenToken {
  type: 'token';
  read(): Promise<string>;
}

export type GoogleCredentials = ServiceAccount | AuthorizedUser | MetadataServer | GivenToken;

const GOOGLE_TOKEN_URI = 'https://oauth2.googleapis.com/token';
const WAY_OUT =
  'Use a service account, `gcloud auth application-default login`, or apiKeyCommand with `gcloud auth print-access-token`.';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CredentialsPlace {
  path: string;
  /** The user named the file: it must be there. */
  isNamed: boolean;
  /** Without a file, the metadata server has the credentials. */
  isOnGoogleMachine: boolean;
}

/** Where the credentials are, in the order of Google's own clients. */
export function findCredentialsPlace(home: string, environment: Environment): CredentialsPlace {
  const isOnGoogleMachine =
    environment['CLOUD_SHELL'] === 'true' || environment['GEMINI_CLI_USE_COMPUTE_ADC'] === 'true';
  const named = environment['GOOGLE_APPLICATION_CREDENTIALS']?.trim();
  if (named) return { path: named, isNamed: true, isOnGoogleMachine };
  const path = join(gcloudFolder(home, environment), 'application_default_credentials.json');
  return { path, isNamed: false, isOnGoogleMachine };
}

function gcloudFolder(home: string, environment: Environment): string {
  const moved = environment['CLOUDSDK_CONFIG']?.trim();
  if (moved) return moved;
  const data = process.platform === 'win32' ? environment['APPDATA'] : undefined;
  return data === undefined ? join(home, '.config', 'gcloud') : join(data, 'gcloud');
}

/** Reads a credentials file. Throws a TypeError whose message names the file, what is wrong and what to do. */
export function parseGoogleCredentials(text: string, path: string): ServiceAccount | AuthorizedUser {
  const file = parseFile(text, path);
  const need = (name: string): string => {
    const value = file[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${path}: ${name} is missing. ${WAY_OUT}`);
    return value;
  };
  const optional = (name: string) => (typeof file[name] === 'string' ? file[name] : undefined);
  switch (file['type']) {
    case 'service_account':
      return {
        type: 'service_account',
        clientEmail: need('client_email'),
        privateKey: need('private_key'),
        privateKeyId: optional('private_key_id'),
        tokenUri: optional('token_uri') ?? GOOGLE_TOKEN_URI,
        projectId: optional('project_id'),
      };
    case 'authorized_user':
      return {
        type: 'authorized_user',
        clientId: need('client_id'),
        clientSecret: need('client_secret'),
        refreshToken: need('refresh_token'),
        quotaProject: optional('quota_project_id'),
      };
    default:
      throw new TypeError(
        `${path}: credentials of the type ${JSON.stringify(file['type'])} are unsupported. ${WAY_OUT}`,
      );
  }
}

function parseFile(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Reported below, without the content: it holds secrets.
  }
  throw new TypeError(`${path} is not a JSON object with Google credentials. ${WAY_OUT}`);
}
