/** The book in Redis or Valkey: a hash for each shelf, written by one script. */

import type { Redis } from 'ioredis';
import type { Book, Change, Place } from './book.ts';

const WRITE = `
for i = 1, #KEYS do
  local at = (i - 1) * 5
  local now = redis.call('HGET', KEYS[i], ARGV[at + 1])
  if ARGV[at + 2] == '0' then
    if now then return 0 end
  elseif now ~= ARGV[at + 3] then
    return 0
  end
end
for i = 1, #KEYS do
  local at = (i - 1) * 5
  if ARGV[at + 4] == '0' then
    redis.call('HDEL', KEYS[i], ARGV[at + 1])
  else
    redis.call('HSET', KEYS[i], ARGV[at + 1], ARGV[at + 5])
  end
end
return 1`;

export class RedisBook implements Book {
  private readonly client: Redis;
  private readonly prefix: string;

  constructor(client: Redis, prefix: string) {
    this.client = client;
    this.prefix = prefix;
  }

  async read(places: readonly Place[]): Promise<(string | undefined)[]> {
    if (places.length === 0) return [];
    const pipeline = this.client.pipeline();
    for (const { shelf, key } of places) pipeline.hget(this.keyOf(shelf), key);
    const answers = (await pipeline.exec()) ?? [];
    return answers.map(([error, value]) => {
      if (error) throw error;
      return (value as string | null) ?? undefined;
    });
  }

  async list(shelf: string): Promise<Map<string, string>> {
    return new Map(Object.entries(await this.client.hgetall(this.keyOf(shelf))));
  }

  async write(changes: readonly Change[]): Promise<boolean> {
    const keys = changes.map(({ shelf }) => this.keyOf(shelf));
    const values = changes.flatMap(({ key, before, after }) => [
      ...[key, before === undefined ? '0' : '1', before ?? '', after === undefined ? '0' : '1', after ?? ''],
    ]);
    return (await this.client.eval(WRITE, keys.length, ...keys, ...values)) === 1;
  }

  async drop(shelf: string): Promise<void> {
    await this.client.unlink(this.keyOf(shelf));
  }

  private keyOf(shelf: string): string {
    return `${this.prefix}:book:${shelf}`;
  }
}
