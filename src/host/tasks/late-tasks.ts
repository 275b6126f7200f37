import type { Tasks } from '../host-options.ts'

/** Tasks whose code is loaded with the first use. */
export function createLateTasks(load: () => Promise<Tasks>): Tasks {
  return {
    list: async () => (await load()).list(),
    wait: async (...args) => (await load()).wait(...args),
    cancel: async (id) => (await load()).cancel(id),
    resume: async () => (await load()).resume(),
  }
}
