import { Column, Entity, PrimaryColumn } from 'typeorm'

/** Stores a login of a person. The cookie contains the token; the row contains only the SHA-256 of the token. */
@Entity('sessions')
export class LoginSession {
  @PrimaryColumn('bytea', { name: 'token_hash' })
  tokenHash!: Buffer

  @Column('uuid', { name: 'person_id' })
  personId!: string

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date

  /** Identifies the session in the API, which never shows the token or its hash. */
  @Column('uuid')
  id!: string

  /** Updated at most once a minute. */
  @Column('timestamptz', { name: 'last_seen_at' })
  lastSeenAt!: Date

  /** IP address at `last_seen_at`. */
  @Column('text', { nullable: true })
  address!: string | null

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null
}

/** Stores the API key of an integration as SHA-256. The key is random, so a slow hash adds nothing. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string

  @Column('text')
  name!: string

  /** First 10 characters of the key, so that people can distinguish keys in a list. */
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
