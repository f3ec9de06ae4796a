/** npm run configuration: writes docs/configuration.md from the table of variables. */
import { writeFileSync } from 'node:fs'
import { project, setUp } from './setup.mjs'

await setUp({ build: false })
process.chdir(project)
const { build } = await import('esbuild')
const { outputFiles } = await build({
  entryPoints: ['src/platform/config/page.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const { renderConfiguration } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
writeFileSync('docs/configuration.md', renderConfiguration())
console.log('docs/configuration.md is up to date.')
