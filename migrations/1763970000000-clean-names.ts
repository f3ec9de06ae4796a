import type { MigrationInterface, QueryRunner } from 'typeorm'

/** White space of any kind, as JavaScript's \s; that of Postgres depends on the locale. */
const SPACE = String.raw`[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]`
const cleaned = (name: string) =>
  `regexp_replace(regexp_replace(${name}, '^${SPACE}+|${SPACE}+$', '', 'g'), '${SPACE}+', ' ', 'g')`
const unclean = (name: string) => `${name} <> ${cleaned(name)}`

/** Names of people, rosters and calls as they are stored from now on: no white space around them, single spaces inside. */
export class CleanNames1763970000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Of names that become the same, the one that is clean already stays, or else the first.
    await runner.query(`
      DELETE FROM department_managers m WHERE ${unclean('m.name')} AND EXISTS (
        SELECT FROM department_managers o WHERE o.name_key <> m.name_key
           AND lower(${cleaned('o.name')}) = lower(${cleaned('m.name')})
           AND (NOT ${unclean('o.name')} OR o.name_key < m.name_key))`)
    for (const [table, name] of [
      ['department_managers', 'name'],
      ['people', 'name'],
      ['recordings', 'manager_name'],
    ]) {
      await runner.query(`UPDATE ${table} SET ${name} = ${cleaned(name!)} WHERE ${unclean(name!)}`)
    }
  }

  /** Migrations only go forward: an older release runs on a newer schema, because nothing is deleted or renamed. */
  async down(): Promise<void> {
    throw new Error('Migrations are never taken back')
  }
}
