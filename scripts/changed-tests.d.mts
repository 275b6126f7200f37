export function distantTestsOf(changed: readonly string[]): readonly string[]
export function isOfRoutes(file: string): boolean
export function isInProcess(file: string, read: (path: string) => string): boolean
export function nearestFirst(tests: readonly string[], changed: readonly string[]): readonly string[]
