import type { Platform } from '../platform/platform.ts'

export interface ModelOptions {
  readonly cwd?: string
  readonly platform?: Partial<Platform>
}
