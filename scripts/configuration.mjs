/** npm run configuration: writes docs/configuration.md from the table of variables. */
import { writeFileSync } from 'node:fs'
import { projectFolder, setUp } from './setup.mjs'

await setUp({ build: false })
process.chdir(projectFolder)
const { build } = await import('esbuild')
const { outputFiles } = await build({
  entryPoints: ['src/platform/config/page.ts'],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
})
const { formatConfigurationPage } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
writeFileSync('docs/configuration.md', formatConfigurationPage())
console.log('docs/configuration.md')
