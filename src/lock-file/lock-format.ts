export const lockVersion = 1

/** The order in which the keys of a server are written. */
export const lockTexts = ['declaration', 'command', 'package', 'version', 'instructions'] as const
export const lockMaps = ['scripts', 'tools', 'prompts', 'templates', 'apps', 'skills'] as const

/** Limits of what is read: the file comes with a project, which anyone may have written. */
export const lockLimits = {
  bytes: 8 * 1024 * 1024,
  servers: 1000,
  items: 10_000,
  nameLength: 4096,
} as const
