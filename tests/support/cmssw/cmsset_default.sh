# The stand-in for CMS's own set-up script: it makes `scram` known. @ROOT@ becomes the place where the tree was put.
export VO_CMS_SW_DIR=@ROOT@
export PATH="@ROOT@/common:$PATH"
