/** The check of a file of a skill, with YAML: loaded with the first file that is read. */
export const loadSkillCheck = () => import('./verified-file.ts')
