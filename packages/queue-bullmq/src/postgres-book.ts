/** The book in Postgres: one table, written by one function, in the schema of BullMQ's own tables. */

import type { Pool } from 'pg';
import type { Book, Change, Place } from './book.ts';

const TABLE = `CREATE TABLE IF NOT EXISTS castor_book (
  shelf text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, value text NOT NULL, PRIMARY KEY (shelf, key))`;
/** The caller sorts the places, so that two writers lock them in the same order. */
const WRITE = `CREATE OR REPLACE FUNCTION castor_write(shelves text[], keys text[], befores text[], afters text[])
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  found_value text;
BEGIN
  FOR i IN 1 .. cardinality(shelves) LOOP
    found_value := NULL;
    SELECT value INTO found_value FROM castor_book b WHERE b.shelf = shelves[i] AND b.key = keys[i] FOR UPDATE;
    IF found_value IS DISTINCT FROM befores[i] THEN
      RETURN false;
    END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(shelves) LOOP
    IF afters[i] IS NULL THEN
      DELETE FROM castor_book b WHERE b.shelf = shelves[i] AND b.key = keys[i];
    ELSIF befores[i] IS NULL THEN
      INSERT INTO castor_book VALUES (shelves[i], keys[i], afters[i]);
    ELSE
      UPDATE castor_book b SET value = afters[i] WHERE b.shelf = shelves[i] AND b.key = keys[i];
    END IF;
  END LOOP;
  RETURN true;
EXCEPTION WHEN unique_violation THEN
  RETURN false;
END $$`;
/** Any number, the same in every process: only one creates the table at a time. */
const LOCK = 7_226_001;

export class PostgresBook implements Book {
  private readonly pool: Pool;

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** Creates what is missing. */
  async prepare(): Promise<void> {
    const { rows } = await this.pool.query<{ found: string | null }>(
      `SELECT to_regprocedure('castor_write(text[], text[], text[], text[])')::text AS found`,
    );
    if (rows[0]?.found) return;
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await client.query(TABLE);
      await client.query(WRITE);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  async read(places: readonly Place[]): Promise<(string | undefined)[]> {
    if (places.length === 0) return [];
    const { rows } = await this.pool.query<{ place: number; value: string }>(
      `SELECT wanted.place::int AS place, value FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (shelf, key, place)
         JOIN castor_book USING (shelf, key)`,
      [places.map(({ shelf }) => shelf), places.map(({ key }) => key)],
    );
    const found = new Map(rows.map(({ place, value }) => [place, value]));
    return places.map((_, index) => found.get(index + 1));
  }

  async list(shelf: string): Promise<Map<string, string>> {
    const { rows } = await this.pool.query<{ key: string; value: string }>(
      'SELECT key, value FROM castor_book WHERE shelf = $1',
      [shelf],
    );
    return new Map(rows.map(({ key, value }) => [key, value]));
  }

  async write(changes: readonly Change[]): Promise<boolean> {
    const nameOf = ({ shelf, key }: Place) => `${shelf}\n${key}`;
    const sorted = [...changes].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
    const { rows } = await this.pool.query<{ done: boolean }>('SELECT castor_write($1, $2, $3, $4) AS done', [
      sorted.map(({ shelf }) => shelf),
      sorted.map(({ key }) => key),
      sorted.map(({ before }) => before ?? null),
      sorted.map(({ after }) => after ?? null),
    ]);
    return rows[0]?.done === true;
  }

  async drop(shelf: string): Promise<void> {
    await this.pool.query('DELETE FROM castor_book WHERE shelf = $1', [shelf]);
  }
}
