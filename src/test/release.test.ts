import { readFileSync } from 'node:fs'
import { expect } from 'chai'

describe('release', () => {
  const { version, releaseDate } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, string>

  it('the newest section of the changelog has the version and date of package.json', () => {
    const [, newest] = readFileSync('CHANGELOG.md', 'utf8').match(/^## (.*)$/m)!
    expect(newest).to.be.oneOf([`[${version}] - ${releaseDate}`, '[Unreleased]'])
  })

  it('the labels of the image have the version and date of package.json', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8')
    expect(dockerfile).to.contain(`org.opencontainers.image.version="${version}"`)
    expect(dockerfile).to.contain(`org.opencontainers.image.created="${releaseDate}T00:00:00Z"`)
  })
})
