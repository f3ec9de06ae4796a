import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A login. The cookie contains the token, the row only its SHA-256. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer

  @Column('uuid', { name: 'person_id' })
  personId!: string

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date

  /** The id under which the person and the API know the session. */
  @Column('uuid')
  id!: string

  /** To the minute. */
  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt!: Date

  /** The address of its last use. */
  @Column('text', { nullable: true })
  address!: string | null

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null
}

/** An integration's key. Only its SHA-256 is stored: the key is random, so a slow hash would add nothing. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string

  @Column('text')
  name!: string

  /** The first characters, to tell keys apart in a list. */
  @Column('text')
  prefix!: string

  @Column('bytea', { name: 'key_hash' })
  keyHash!: Buffer

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null
}
