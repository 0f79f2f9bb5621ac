# SPDX-License-Identifier: GPL-2.0-only
#
# Writes a C++ file that tells which sources it was built from: SHA-256 over the sources' names and
# contents and the version of ns-3, so the same for the same sources on every machine. Run by
#   cmake -DSOURCES=folder -DNS3=version -DOUTPUT=file -P source-hash.cmake

file(GLOB_RECURSE files RELATIVE "${SOURCES}" "${SOURCES}/*.cc" "${SOURCES}/*.h")
list(SORT files)
set(listing "ns3 ${NS3}\n")
foreach(file IN LISTS files)
    file(SHA256 "${SOURCES}/${file}" digest)
    string(APPEND listing "${digest}  ${file}\n")
endforeach()
string(SHA256 hash "${listing}")
file(
    WRITE "${OUTPUT}"
    "#include \"scenario/simulator.h\"

std::string
mftpubsub::GetSourceHash()
{
    return \"${hash}\";
}
")
