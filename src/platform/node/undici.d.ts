// The parts of undici we use, file by file: loading its index costs three times the CPU of these (93 against 31 ms).

declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'
  const pool: typeof Pool
  export = pool
}

declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici'
  const build: typeof buildConnector
  export = build
}
