/**
 * Writes what a release is made of as a CycloneDX 1.6 document: the packages that `runtime.lock`
 * holds, the runtimes inside the executables with each base executable, and the bundler, with the hashes
 * of the locks.
 *
 * The same sources give the same bytes: it has no serial number and no time.
 *
 * @module
 */

import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import project from "../deno.json" with { type: "json" };

interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

/** Executable from elsewhere, as `executables.lock` has it. */
export interface LockedFile {
  readonly name: string;
  readonly sha256: string;
}

/** Runtime inside of executables. */
export interface RuntimeInside {
  readonly name: string;
  readonly version: string;
  /** Executables that the program is appended to. */
  readonly bases: readonly LockedFile[];
}

/** Program that made a part of the executables. */
export interface BuildTool {
  readonly name: string;
  readonly version: string;
  /** The program, for each machine that builds. */
  readonly files: readonly LockedFile[];
}

/**
 * The document.
 *
 * @throws {TypeError} When the lock holds a package by another hash than SHA-512.
 */
export function sbom(lock: Lock, runtimes: readonly RuntimeInside[], bundler: BuildTool): string {
  const program = new Models.Component(Enums.ComponentType.Application, "authenticator", {
    bomRef: `authenticator@${project.version}`,
    version: project.version,
    licenses: mit(),
  });
  const tool = new Models.Component(Enums.ComponentType.Application, bundler.name, {
    version: bundler.version,
    purl: `pkg:npm/${bundler.name}@${bundler.version}`,
    components: filesOf(bundler.files),
  });
  const tools = new Models.Tools({ components: new Models.ComponentRepository([tool]) });
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: program, tools }) });
  const parts = [
    ...Object.entries(lock.npm).map(([name, { integrity }]) => packageOf(name, integrity)),
    ...runtimes.map(runtimeOf),
  ];
  for (const part of parts) {
    bom.components.add(part);
    program.dependencies.add(part.bomRef);
  }
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 }) + "\n";
}

function packageOf(locked: string, integrity: string): Models.Component {
  const [, group, name, version] = /^(?:(@[^/]+)\/)?([^@]+)@(.+)$/.exec(locked) ?? [];
  const [, hash] = /^sha512-(.+)$/.exec(integrity) ?? [];
  if (name === undefined || version === undefined || hash === undefined) {
    throw new TypeError("runtime.lock holds a package in a form that is not known");
  }
  const purl = `pkg:npm/${
    group === undefined ? "" : `${encodeURIComponent(group)}/`
  }${name}@${version}`;
  return new Models.Component(Enums.ComponentType.Library, name, {
    bomRef: purl,
    purl,
    version,
    licenses: mit(),
    hashes: new Models.HashDictionary([
      [Enums.HashAlgorithm["SHA-512"], Uint8Array.fromBase64(hash).toHex()],
    ]),
    ...(group !== undefined && { group }),
  });
}

function runtimeOf({ name, version, bases }: RuntimeInside): Models.Component {
  const purl = `pkg:npm/${name}@${version}`;
  return new Models.Component(Enums.ComponentType.Platform, name, {
    bomRef: purl,
    purl,
    version,
    components: filesOf(bases),
  });
}

function filesOf(files: readonly LockedFile[]): Models.ComponentRepository {
  return new Models.ComponentRepository(
    files.map(({ name, sha256 }) =>
      new Models.Component(Enums.ComponentType.File, name, {
        bomRef: `file:${name}`,
        hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]),
      })
    ),
  );
}

// What both packages and the program are under; a test holds that against licenses.ts.
function mit(): Models.LicenseRepository {
  return new Models.LicenseRepository([new Models.SpdxLicense("MIT")]);
}
