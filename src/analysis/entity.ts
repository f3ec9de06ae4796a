import { Column, Entity, PrimaryColumn } from 'typeorm'

/** What an owner has set, by the name of what it concerns. */
@Entity('settings')
export class Setting {
  @PrimaryColumn('text')
  name!: string

  @Column('jsonb')
  value!: object

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date
}
