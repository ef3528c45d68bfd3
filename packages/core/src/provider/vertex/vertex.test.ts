import { createFakeClock, fakeModel, fault, say } from '@castor/testkit';
import { generateKeyPairSync, createVerify } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { UnauthorizedError } from '../../protocol/errors.ts';
import { openProvider } from '../open-provider.ts';
import { createVertexEndpoint } from './endpoint.ts';
import { type GoogleCredentials, parseGoogleCredentials } from './google-credentials.ts';
import { createTokenSource } from './token-source.ts';

/** Issues tokens `t1`, `t2`, … and keeps what was asked. */
async function tokenServer(answer: (count: number) => { status?: number; body: object }) {
  const asked: { path: string; headers: IncomingMessage['headers']; form: URLSearchParams }[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      asked.push({ path: request.url ?? '', headers: request.headers, form });
      const { status = 200, body } = answer(asked.length);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() };
}

const issued = (count: number) => ({ body: { access_token: `t${count}`, expires_in: 3_600 } });

describe('createTokenSource', () => {
  it('signs for a service account', async () => {
    await using server = await tokenServer(issued);
    const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const clock = createFakeClock();
    const tokenUri = `${server.url}/token`;
    const source = createTokenSource(
      { type: 'service_account', clientEmail: 'me@x.test', privateKey, privateKeyId: 'k1', tokenUri },
      { clock },
    );
    expect(await source.token()).toBe('t1');
    const { form } = server.asked[0]!;
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, claims, signature] = form.get('assertion')!.split('.') as [string, string, string];
    const parse = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
    expect(parse(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    const now = Math.floor(clock.now() / 1_000);
    expect(parse(claims)).toEqual({
      iss: 'me@x.test',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: tokenUri,
      iat: now,
      exp: now + 3_600,
    });
    const verified = createVerify('RSA-SHA256').update(`${header}.${claims}`);
    expect(verified.verify(keys.publicKey, signature, 'base64url')).toBe(true);
  });

  it('renews at four fifths of the life, once for all who wait', async () => {
    await using server = await tokenServer(issued);
    const clock = createFakeClock();
    const credentials: GoogleCredentials = { type: 'metadata', baseUrl: server.url };
    const source = createTokenSource(credentials, { clock });
    expect(await Promise.all([source.token(), source.token()])).toEqual(['t1', 't1']);
    expect(server.asked[0]).toMatchObject({
      path: '/computeMetadata/v1/instance/service-accounts/default/token',
      headers: { 'metadata-flavor': 'Google' },
    });
    await clock.sleep(2_879_000);
    expect(await source.token()).toBe('t1');
    await clock.sleep(2_000);
    expect(await source.token()).toBe('t2');
  });

  it('refreshes the token of a user, and says what to do when it is refused', async () => {
    await using server = await tokenServer((count) =>
      count === 1
        ? issued(1)
        : { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been revoked.' } },
    );
    const user = { type: 'authorized_user', clientId: 'c', clientSecret: 's', refreshToken: 'r' } as const;
    const source = createTokenSource(user, { userTokenUri: server.url });
    expect(await source.token()).toBe('t1');
    expect(Object.fromEntries(server.asked[0]!.form)).toEqual({
      grant_type: 'refresh_token',
      client_id: 'c',
      client_secret: 's',
      refresh_token: 'r',
    });
    source.forget();
    await expect(source.token()).rejects.toThrow(/invalid_grant: Token has been revoked\. Log in again with `gcloud/);
    await expect(source.token()).rejects.toBeInstanceOf(UnauthorizedError);
  });

  it('names a key that is no key', async () => {
    const account = { type: 'service_account', clientEmail: 'me', privateKey: 'x', tokenUri: 'http://x.test' } as const;
    await expect(createTokenSource(account).token()).rejects.toThrow('The private key of me is not a valid PEM key.');
  });
});

describe('parseGoogleCredentials', () => {
  it.each<[string, RegExp]>([
    ['{', /^adc\.json is not a JSON object with Google credentials/],
    ['{"type":"external_account"}', /^adc\.json: credentials of the type "external_account" are unsupported.*gcloud/],
    ['{"type":"authorized_user","client_id":"c"}', /^adc\.json: client_secret is missing/],
  ])('rejects %s with what to do', (text, message) => {
    expect(() => parseGoogleCredentials(text, 'adc.json')).toThrow(message);
  });
});

describe('createVertexEndpoint', () => {
  const tokens = { token: async () => 't', forget() {} };
  it.each([
    [undefined, 'https://aiplatform.googleapis.com/v1beta1/projects/p/locations/global/publishers/google/x'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/p/locations/eu/publishers/google/x'],
    [
      'europe-west4',
      'https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/p/locations/europe-west4/publishers/google/x',
    ],
  ])('has the address of the region %s', (location, url) => {
    expect(createVertexEndpoint({ publisher: 'google', project: 'p', location, tokens }).url('x').href).toBe(url);
  });

  it('needs no project with a key', () => {
    const endpoint = createVertexEndpoint({ publisher: 'google', key: { value: 'k' } });
    expect(endpoint.url('models/m').href).toBe('https://aiplatform.googleapis.com/v1beta1/publishers/google/models/m');
    expect(endpoint.headers('m')).toEqual({ 'x-goog-api-key': 'k' });
  });

  it('says what is missing', () => {
    expect(() => createVertexEndpoint({ publisher: 'google', tokens })).toThrow(/GOOGLE_CLOUD_PROJECT/);
    const odd = () => createVertexEndpoint({ publisher: 'google', project: 'p', location: 'evil.test/', tokens });
    expect(odd).toThrow(/GOOGLE_CLOUD_LOCATION/);
  });

  it.each([
    ['gemini', 404, /in us-east5; try GOOGLE_CLOUD_LOCATION=global\./],
    ['anthropic', 404, /in us-east5; try GOOGLE_CLOUD_LOCATION=global\./],
    ['gemini', 403, /Enable the Vertex AI API in the project p /],
    ['anthropic', 403, /Enable the Vertex AI API in the project p /],
  ] as const)('T68 says what to do, for %s and status %i', async (protocol, status, words) => {
    await using model = await fakeModel([fault(status)], { protocol, key: null });
    const publisher = protocol === 'gemini' ? 'google' : 'anthropic';
    const endpoint = createVertexEndpoint({
      publisher,
      project: 'p',
      location: 'us-east5',
      baseUrl: model.url,
      tokens,
    });
    const { generator } = await openProvider({ id: 'vertex', name: 'V', protocol, endpoint, cloud: 'vertex' });
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    await expect(generator.generateContent({ model: 'm', contents }, 'p', 'main')).rejects.toThrow(words);
  });

  it.each([
    ['gemini', 'google'],
    ['anthropic', 'anthropic'],
  ] as const)('T67 renews a rejected token once, for %s', async (protocol, publisher) => {
    await using server = await tokenServer(issued);
    await using model = await fakeModel([say('hello')], { protocol, key: 't2' });
    const endpoint = createVertexEndpoint({
      publisher,
      project: 'p',
      baseUrl: model.url,
      tokens: createTokenSource({ type: 'metadata', baseUrl: server.url }),
    });
    const { generator } = await openProvider({ id: 'vertex', name: 'V', protocol, endpoint, cloud: 'vertex' });
    const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
    const answer = await generator.generateContent({ model: 'm', contents }, 'p', 'main');
    expect(answer.candidates?.[0]?.content?.parts).toEqual([{ text: 'hello' }]);
    expect(model.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer t1', 'Bearer t2']);
    expect(model.requests[1]?.path).toContain(`/projects/p/locations/global/publishers/${publisher}/models/m:`);
  });
});
